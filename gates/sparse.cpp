#include "gates/sparse.h"

#include <algorithm>
#include <map>

#include "core/realise.h"
#include "gates/execute.h"

namespace assay {
namespace {

// Attributes at their defaults; nothing where one has none.
std::optional<Instance> small_instance(const Contract& contract, const Dims& dims) {
  Instance instance{contract.dtypes().front(), dims, {}};
  for (const Attribute& attribute : contract.signature().attributes) {
    if (!attribute.fallback) return std::nullopt;
    instance.attributes.push_back(*attribute.fallback);
  }
  return instance;
}

Case plain_case(const Contract& contract, const Instance& instance) {
  Case c;
  c.contract = contract.signature().name;
  c.instance = instance;
  c.inputs.resize(contract.signature().inputs.size());
  c.output_offsets.resize(contract.signature().outputs.size());
  c.seed = 1;
  return c;
}

// Whether every output element reads only inputs that `allowed(input shape, element)` names.
template <class Allowed>
bool reads_only(const Contract& contract, const Instance& instance, const Shapes& shapes, Allowed allowed) {
  const std::vector<Tensor> inputs = realise(plain_case(contract, instance), shapes);
  Judge judge(contract, instance, inputs);
  for (std::size_t output = 0; output < shapes.outputs.size(); ++output) {
    for (std::int64_t i = 0; i < count(shapes.outputs[output].shape); ++i)
      for (std::size_t input = 0; input < shapes.inputs.size(); ++input)
        for (std::int64_t read : judge.footprint(output, i, input))
          if (!allowed(shapes.inputs[input].shape, read, shapes.outputs[output].shape, i)) return false;
  }
  return true;
}

SparseForm find_form(const Contract& contract) {
  const Signature& signature = contract.signature();
  for (const TensorSignature& input : signature.inputs)
    if (input.type.kind != ElementType::Kind::floating) return SparseForm::none;
  const auto shapes_at = [&](const Dims& dims) -> std::optional<std::pair<Instance, Shapes>> {
    const auto instance = small_instance(contract, dims);
    if (!instance || !admits(contract, *instance)) return std::nullopt;
    auto shapes = shapes_of(contract, *instance);
    if (!shapes) return std::nullopt;
    return std::pair{*instance, std::move(*shapes)};
  };
  const auto all = [](const std::vector<TensorSpec>& specs, std::initializer_list<Dims> shapes) {
    return std::all_of(specs.begin(), specs.end(), [&](const TensorSpec& spec) {
      return std::find(shapes.begin(), shapes.end(), spec.shape) != shapes.end();
    });
  };
  if (signature.dims.size() == 1) {
    const auto at = shapes_at({7});
    if (!at || !all(at->second.inputs, {{7}}) || !all(at->second.outputs, {{7}})) return SparseForm::none;
    const bool elementwise =
        reads_only(contract, at->first, at->second,
                   [](const Dims&, std::int64_t read, const Dims&, std::int64_t i) { return read == i; });
    return elementwise ? SparseForm::elementwise : SparseForm::none;
  }
  if (signature.dims.size() == 2) {
    const auto at = shapes_at({3, 5});
    if (!at || !all(at->second.inputs, {{3, 5}, {5}}) || !all(at->second.outputs, {{3, 5}, {3}}))
      return SparseForm::none;
    const bool rows = reads_only(contract, at->first, at->second,
                                 [](const Dims& in, std::int64_t read, const Dims& out, std::int64_t i) {
                                   if (in.size() == 1) return true;
                                   return read / 5 == (out.size() == 1 ? i : i / 5);
                                 });
    return rows ? SparseForm::rows : SparseForm::none;
  }
  return SparseForm::none;
}

// One element that the kernel wrote.
struct Written {
  std::size_t output;
  std::int64_t index;
  std::uint64_t bits;
};

// A few of the elements, spread over all that was found: the ends of the index range are where overflow
// shows.
std::vector<Written> sample(const SparseResult& result, std::size_t limit) {
  std::vector<Written> all;
  for (const SparseResult::Piece& piece : result.pieces)
    for (std::size_t k = 0; k < piece.bits.size(); ++k)
      all.push_back({piece.output, piece.first + static_cast<std::int64_t>(k), piece.bits[k]});
  std::sort(all.begin(), all.end(), [](const Written& a, const Written& b) { return a.index < b.index; });
  if (all.size() <= limit) return all;
  std::vector<Written> some;
  for (std::size_t i = 0; i < limit; ++i) some.push_back(all[i * (all.size() - 1) / (limit - 1)]);
  return some;
}

std::uint64_t at(const Tensor& period, std::int64_t i) {
  return period.bits(i % period.size());
}

std::optional<Verdict> judge_elementwise(const Case& c, const Subject& subject, const Shapes& huge,
                                         const std::vector<Tensor>& periods,
                                         const std::vector<Written>& written, Reasons reasons, Tally& tally) {
  Instance instance = c.instance;
  instance.dims = {static_cast<std::int64_t>(written.size())};
  std::vector<Tensor> inputs;
  for (const Tensor& period : periods) {
    Tensor& input = inputs.emplace_back(period.dtype(), instance.dims);
    for (std::size_t i = 0; i < written.size(); ++i)
      input.set_bits(static_cast<std::int64_t>(i), at(period, written[i].index));
  }
  Judge judge(subject.contract, instance, inputs, subject.allow);
  for (std::size_t i = 0; i < written.size(); ++i) {
    const ElementReport report =
        judge.element(written[i].output, static_cast<std::int64_t>(i), written[i].bits);
    ++tally.elements;
    if (report.ruling != Ruling::refused || !reasons.contains(report.reason)) continue;
    Realised tensors{huge, {}, {}};
    return refused(subject, tensors, written[i].output, written[i].index, report, 1);
  }
  return std::nullopt;
}

std::optional<Verdict> judge_row(const Case& c, const Subject& subject, const Shapes& huge,
                                 const std::vector<Tensor>& periods, const Written& written, Reasons reasons,
                                 Tally& tally) {
  const std::int64_t cols = c.instance.dims[1];
  const bool whole = huge.outputs[written.output].shape.size() == 2;
  const std::int64_t row = whole ? written.index / cols : written.index;
  Instance instance = c.instance;
  instance.dims[0] = 1;
  std::vector<Tensor> inputs;
  for (std::size_t k = 0; k < periods.size(); ++k) {
    const bool matrix = huge.inputs[k].shape.size() == 2;
    Tensor& input = inputs.emplace_back(periods[k].dtype(), matrix ? Dims{1, cols} : Dims{cols});
    for (std::int64_t j = 0; j < cols; ++j) input.set_bits(j, at(periods[k], matrix ? row * cols + j : j));
  }
  Judge judge(subject.contract, instance, inputs, subject.allow);
  const ElementReport report = judge.element(written.output, whole ? written.index % cols : 0, written.bits);
  ++tally.elements;
  if (report.ruling != Ruling::refused || !reasons.contains(report.reason)) return std::nullopt;
  Realised tensors{huge, {}, {}};
  return refused(subject, tensors, written.output, written.index, report, 1);
}

}  // namespace

SparseForm sparse_form(const Contract& contract) {
  thread_local std::map<const lang::Program*, std::pair<Contract, SparseForm>> known;
  const auto found = known.find(&contract.program());
  if (found != known.end()) return found->second.second;
  const SparseForm form = find_form(contract);
  known.emplace(&contract.program(), std::pair{contract, form});  // keeps the program, so its address, alive
  return form;
}

bool is_huge(const Shapes& shapes) {
  return elements(shapes) > std::int64_t{1} << 22;
}

bool has_many_rows(const Contract& contract, const Instance& instance) {
  return sparse_form(contract) == SparseForm::rows && instance.dims[0] > 8192;
}

Verdict judge_sparse(const Case& c, const Subject& subject, Runner& runner, Reasons reasons) {
  const SparseForm form = sparse_form(subject.contract);
  if (form == SparseForm::none)
    return not_applicable("too large to be held, and the outputs of this contract cannot be sampled");
  auto shapes = shapes_of(subject.contract, c.instance);
  if (!shapes) return not_applicable(shapes.error().message);

  Shapes flat = *shapes;
  for (TensorSpec& input : flat.inputs) input.shape = {kPeriod};
  Case contents = c;
  contents.plants.clear();
  const std::vector<Tensor> periods = realise(contents, flat);

  SparseLaunch launch;
  launch.instance = c.instance;
  launch.periods = periods;
  launch.inputs = shapes->inputs;
  launch.outputs = shapes->outputs;
  launch.deadline = std::chrono::milliseconds(4000);
  const SparseResult result = runner.run_sparse(launch);
  // A few blocks that loop over the whole size may honestly take minutes.
  if (result.status == RunResult::Status::hung)
    return not_applicable("a run of some blocks of so large a case did not end in time");
  if (auto verdict = no_outputs(result)) return *verdict;

  const std::vector<Written> written = sample(result, form == SparseForm::rows ? 16 : 256);
  if (written.empty()) {
    // A failed launch is the reason; one that the host code made good is RES-02's alone.
    if (auto verdict = diagnosed(result.diagnostics, kLaunchFaults)) return *verdict;
    return undecidable("none of the blocks that ran wrote an output");
  }
  if (form == SparseForm::elementwise) {
    if (auto verdict = judge_elementwise(c, subject, *shapes, periods, written, reasons, runner.tally))
      return *verdict;
    return Verdict::pass();
  }
  for (const Written& one : written)
    if (auto verdict = judge_row(c, subject, *shapes, periods, one, reasons, runner.tally)) return *verdict;
  return Verdict::pass();
}

}  // namespace assay
