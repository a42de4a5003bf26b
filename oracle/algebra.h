#pragma once

// The number types that one evaluator runs a contract in.
//
// An algebra is a class with a `Value` and the operations below. The evaluator (oracle/evaluator.h) never
// looks into a Value; what an operation means (a rounding, an interval, a set of inputs, a derivative) is the
// algebra's alone:
//
//   RealAlgebra      MPFR at a given precision: the truth
//   HonestAlgebra<C> truth (centre of type C), the interval and the classes of an honest kernel: the budget
//   FootprintAlgebra the input elements that a value depends on
//   RoundedAlgebra   what a sequential kernel returns in a given accumulator
//   TangentAlgebra   value and directional derivative
//
// concept Algebra:
//   using Value;                                     // default constructible, copyable, cheap to copy
//   Value input(size_t tensor, int64_t element, DType dtype, uint64_t bits);
//   Value constant(const Constant& c);               // exact
//   Value negate(const Value& a);
//   Value sum(std::span<const Value> terms, Sum how);      // any number of terms, any order; empty: +0
//   Value product(std::span<const Value> factors);         // any association; empty: 1
//   Value power(const Value& a, int n);                    // product of n equal factors, n >= 1
//   Value divide(const Value& a, const Value& b);
//   Value mean(std::span<const Value> terms);              // running updates allowed; empty: NaN
//   Value extreme(Extreme kind, std::span<const Value> terms);  // max, min, fmax, fmin; empty: -+Inf
//   Value call(Function f, const Value& a);
//   Truth compare(Comparison op, const Value& a, const Value& b);
//   Truth classify(Classify what, const Value& a);         // isnan, isinf
//   Value select(Truth condition, const Value& yes, const Value& no);  // `no`/`yes` evaluated only if
//   possible Value round(const Value& a, DType dtype);              // an honest kernel may store it in dtype
//   here Value allow(const Value& a, Classes classes, Truth guard); Value arg(Extreme kind, std::span<const
//   Value> terms); // argmax, argmin: a Value that is a set of indices Value integer(int64_t i); // an index
//   expression used as a number, exact

#include <cstdint>
#include <string>

namespace assay {

// numerator / denominator * 10^exponent; pi; an infinity of the numerator's sign; NaN; or a double's own
// value: exact.
struct Constant {
  enum class Kind : std::uint8_t { rational, pi, infinity, nan, real } kind = Kind::rational;
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;  // >= 1
  int exponent = 0;              // decimal
  double value = 0;              // of Kind::real: an attribute that is not its default
};

enum class Sum : std::uint8_t {
  terms,      // a + b - c in an expression: no accumulator that starts at +0
  reduction,  // sum(... for j): an accumulator that starts at +0
};
enum class Extreme : std::uint8_t { max, min, fmax, fmin };
enum class Function : std::uint8_t {
  exp,
  log,
  sqrt,
  rsqrt,
  tanh,
  erf,
  abs,
  sin,
  cos,
  expm1,
  log1p,
  floor,
  sign,
};
enum class Comparison : std::uint8_t { less, less_equal, greater, greater_equal, equal, not_equal };
enum class Classify : std::uint8_t { nan, infinite };

template <class T>
bool holds(Comparison op, const T& a, const T& b) {
  switch (op) {
    case Comparison::less:
      return a < b;
    case Comparison::less_equal:
      return a <= b;
    case Comparison::greater:
      return a > b;
    case Comparison::greater_equal:
      return a >= b;
    case Comparison::equal:
      return a == b;
    case Comparison::not_equal:
      return a != b;
  }
  return false;
}

// The possible outcomes of a condition over values that are only known within limits. At least one is set.
struct Truth {
  bool may_be_true = false;
  bool may_be_false = false;
  bool at_truth = false;  // the outcome for the truth itself

  static constexpr Truth of(bool b) { return {b, !b, b}; }
  constexpr bool surely_true() const { return !may_be_false; }
  constexpr bool surely_false() const { return !may_be_true; }
  friend constexpr Truth operator!(Truth t) { return {t.may_be_false, t.may_be_true, !t.at_truth}; }
  friend constexpr Truth operator&&(Truth a, Truth b) {
    return {a.may_be_true && b.may_be_true, a.may_be_false || b.may_be_false, a.at_truth && b.at_truth};
  }
  friend constexpr Truth operator||(Truth a, Truth b) { return !(!a && !b); }
};

// A set of classes of floating-point values.
struct Classes {
  bool nan = false;
  bool pos_inf = false;
  bool neg_inf = false;
  bool pos_zero = false;
  bool neg_zero = false;
  bool zero_sign = false;  // `allow sign of zero`: widens the sign of a zero that is allowed anyway
};

}  // namespace assay
