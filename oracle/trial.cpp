#include "oracle/trial.h"

#include <algorithm>
#include <string_view>

#include "core/text.h"
#include "oracle/evaluator.h"
#include "oracle/footprint.h"

namespace assay {
namespace {

constexpr std::int64_t kMostElements = 4096;

// Equal extents, extents that tell the dims apart in both orders, and a long last or first dim.
std::vector<Dims> small_dims(std::size_t rank) {
  std::vector<Dims> all;
  for (std::int64_t extent : {1, 2, 3, 4}) all.emplace_back(rank, extent);
  Dims up(rank), down(rank);
  for (std::size_t d = 0; d < rank; ++d) {
    up[d] = static_cast<std::int64_t>(d) + 2;
    down[d] = static_cast<std::int64_t>(rank - d) + 1;
  }
  all.push_back(up);
  all.push_back(down);
  if (rank > 0) {
    all.emplace_back(rank, 1).back() = 5;
    all.emplace_back(rank, 1).front() = 5;
  }
  return all;
}

Expected<void> try_form(const Contract& contract, const Instance& instance, const Shapes& shapes,
                        std::string_view form) {
  std::vector<Tensor> inputs;
  for (const TensorSpec& spec : shapes.inputs) {
    Tensor& input = inputs.emplace_back(spec.dtype, spec.shape);
    if (!spec.is_offsets) continue;
    for (std::int64_t i = 0; i < input.size(); ++i)  // evenly, the last element left over
      input.set_bits(i, encode_integer(spec.dtype, std::max<std::int64_t>(spec.bound - 1, 0) * i /
                                                       std::max<std::int64_t>(input.size() - 1, 1)));
  }
  FootprintAlgebra algebra;
  Evaluator<FootprintAlgebra> evaluator(contract.program(), instance, shapes, inputs, algebra, form);
  for (std::size_t k = 0; k < shapes.outputs.size(); ++k) {
    for (std::int64_t i = 0; i < count(shapes.outputs[k].shape); ++i) {
      evaluator.output(k, i);
      if (!evaluator.fault()) continue;
      std::vector<std::string> extents;
      for (std::size_t d = 0; d < instance.dims.size(); ++d)
        extents.push_back(fmt::format("{}={}", contract.signature().dims[d], instance.dims[d]));
      return usage_error("{} (at {})", *evaluator.fault(), join(extents, " "));
    }
  }
  return {};
}

}  // namespace

Expected<void> try_out(const Contract& contract) {
  for (const Dims& dims : small_dims(contract.signature().dims.size())) {
    Instance instance{contract.dtypes().front(), dims, {}};
    for (const Attribute& attribute : contract.signature().attributes)
      instance.attributes.push_back(attribute.fallback.value_or(1));
    if (!admits(contract, instance)) continue;
    const auto shapes = shapes_of(contract, instance);
    if (!shapes) continue;
    std::int64_t elements = 0;
    for (const TensorSpec& spec : shapes->inputs) elements += count(spec.shape);
    for (const TensorSpec& spec : shapes->outputs) elements += count(spec.shape);
    if (elements > kMostElements) continue;
    if (auto done = try_form(contract, instance, *shapes, {}); !done) return done;
    for (const lang::Form& form : contract.program().forms)
      if (auto done = try_form(contract, instance, *shapes, form.name); !done) return done;
  }
  return {};
}

}  // namespace assay
