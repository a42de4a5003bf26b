#include "oracle/equality.h"

#include <cstdlib>

#include "oracle/evaluator.h"
#include "oracle/tangent.h"

namespace assay {
namespace {

constexpr int kPrecision = 2048;
constexpr int kAgreement = 256;  // bits
constexpr long kLeast = -1200;   // exponent below which a value is 0: less than any double

constexpr long kRange = 15990;  // exponent where Real cuts off

// Values in Real that say whether one was cut off; the derivative is of no interest.
class ExactAlgebra : public TangentAlgebra {
 public:
  ExactAlgebra() : TangentAlgebra(std::span<const std::vector<double>>()) {}
  bool cut_off = false;

  Value product(std::span<const Value> factors) { return watched(TangentAlgebra::product(factors)); }
  Value power(const Value& a, int n) { return watched(TangentAlgebra::power(a, n)); }
  Value divide(const Value& a, const Value& b) { return watched(TangentAlgebra::divide(a, b)); }
  Value call(Function f, const Value& a) { return watched(TangentAlgebra::call(f, a)); }

 private:
  Value watched(Value v) {
    if (v && !v->value.is_nan() && !v->value.is_infinite() && !v->value.is_zero())
      cut_off |= std::labs(v->value.highest_bit()) >= kRange;
    return v;
  }
};

// A contract's outputs.
class Outputs {
 public:
  Outputs(const Contract& contract, const Instance& instance, std::span<const Tensor> inputs)
      : shapes_(*shapes_of(contract, instance)),
        evaluator_(contract.program(), instance, shapes_, inputs, algebra_) {}

  std::int64_t size(std::size_t output) const { return count(shapes_.outputs[output].shape); }
  std::size_t outputs() const { return shapes_.outputs.size(); }

  bool cut_off() const { return algebra_.cut_off; }

  Real at(std::size_t output, std::int64_t index) {
    const TangentAlgebra::Value value = evaluator_.output(output, index);
    return value ? value->value : Real();
  }

 private:
  Shapes shapes_;
  ExactAlgebra algebra_;
  Evaluator<ExactAlgebra> evaluator_;
};

bool is_special(const Real& a) {
  return a.is_nan() || a.is_infinite();
}

bool agree(const Real& a, const Real& b) {
  if (is_special(a) || is_special(b))
    return a.is_nan() == b.is_nan() && a.is_infinite() == b.is_infinite() &&
           (a.is_nan() || a.is_negative() == b.is_negative());
  const Real gap = subtract(a, b).value;
  if (gap.is_zero() || gap.highest_bit() < kLeast) return true;
  const Real& larger = a.is_zero() || (!b.is_zero() && b.highest_bit() > a.highest_bit()) ? b : a;
  return gap.highest_bit() < larger.highest_bit() - kAgreement;
}

Expected<void> same(std::string_view what, std::size_t a, std::size_t b) {
  if (a == b) return {};
  return usage_error("the contracts have {} and {} {}; only those of one signature can be compared", a, b,
                     what);
}

std::string in_words(const ElementType& type) {
  switch (type.kind) {
    case ElementType::Kind::floating:
      return "float";
    case ElementType::Kind::index:
      return "index";
    case ElementType::Kind::fixed:
      break;
  }
  return std::string(name(type.fixed));
}

Expected<void> same(std::string_view what, const std::vector<TensorSignature>& a,
                    const std::vector<TensorSignature>& b) {
  if (auto equal = same(what, a.size(), b.size()); !equal) return equal;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].rank != b[i].rank || in_words(a[i].type) != in_words(b[i].type))
      return usage_error("'{}' is {} of rank {}, '{}' is {} of rank {}", a[i].name, in_words(a[i].type),
                         a[i].rank, b[i].name, in_words(b[i].type), b[i].rank);
  }
  return {};
}

}  // namespace

Expected<void> check_comparable(const Contract& first, const Contract& second) {
  const Signature& a = first.signature();
  const Signature& b = second.signature();
  if (auto equal = same("dimensions", a.dims.size(), b.dims.size()); !equal) return equal;
  if (auto equal = same("attributes", a.attributes.size(), b.attributes.size()); !equal) return equal;
  if (auto equal = same("inputs", a.inputs, b.inputs); !equal) return equal;
  return same("outputs", a.outputs, b.outputs);
}

Compared compare(const Contract& first, const Contract& second, const Instance& instance,
                 std::span<const Tensor> inputs) {
  const Real::Scope scope(kPrecision);
  Outputs a(first, instance, inputs), b(second, instance, inputs);
  for (std::size_t k = 0; k < a.outputs(); ++k) {
    for (std::int64_t i = 0; i < a.size(k); ++i) {
      const Real x = a.at(k, i), y = b.at(k, i);
      if (a.cut_off() || b.cut_off()) return {Comparability::beyond_range, {}};
      if (!agree(x, y)) return {Comparability::differ, {k, i, x.to_string(), y.to_string()}};
    }
  }
  return {};
}

}  // namespace assay
