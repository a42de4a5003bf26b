#include "fuzz/call.h"

#include <algorithm>

namespace assay::fuzz {
namespace {

bool is_index(DType dtype) {
  return dtype == DType::i32 || dtype == DType::i64;
}

}  // namespace

Expected<Call> call_of(const Case& c, const Shapes& shapes, const Target& target) {
  Call call;
  const std::vector<Binding>& bindings = target.kernel.bindings;
  for (std::size_t k = 0; k < bindings.size(); ++k)
    if (std::find(bindings[k].dtypes.begin(), bindings[k].dtypes.end(), c.instance.dtype) !=
        bindings[k].dtypes.end())
      call.binding = &bindings[k], call.entry = k;
  if (call.binding == nullptr) return usage_error("the kernel does not take {}", name(c.instance.dtype));

  for (const auto* specs : {&shapes.inputs, &shapes.outputs})
    for (const TensorSpec& spec : *specs) call.types.push_back(spec.dtype);
  for (std::size_t i = 0; i < call.binding->arguments.size(); ++i) {
    const Argument& a = call.binding->arguments[i];
    const std::optional<DType> taken = call.binding->entry.parameters[i].dtype;
    if (a.kind == Argument::Kind::stream) call.has_stream = true;
    if (a.kind == Argument::Kind::input || a.kind == Argument::Kind::output) {
      DType& type = call.types[a.kind == Argument::Kind::input ? a.tensor : shapes.inputs.size() + a.tensor];
      if (taken && is_index(*taken) && is_index(type)) type = *taken;
    }
    if (a.kind != Argument::Kind::expression) continue;
    const auto expression = Expression::parse(a.expression, target.subject.contract.signature());
    if (!expression) return tl::unexpected(expression.error());
    const auto number = expression->evaluate(c.instance);
    if (!number) return tl::unexpected(number.error());
    call.scalars.push_back(*number);
  }
  return call;
}

Tensor as_taken(const Tensor& tensor, DType taken) {
  if (taken == tensor.dtype()) return tensor;
  Tensor result(taken, tensor.shape());
  for (std::int64_t i = 0; i < tensor.size(); ++i)
    result.set_bits(i, encode_integer(taken, tensor.integer(i)));
  return result;
}

}  // namespace assay::fuzz
