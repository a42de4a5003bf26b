#pragma once

// What an honest kernel may hold, next to the truth: the algebra of budgets (docs/budgets.md).
//
// A value is the truth, the interval [truth - below, truth + above] of finite values that an honest kernel
// may have computed there, and the other classes (NaN, infinities, signs of zero) that it may have. The
// centre of type C knows the truth to within an error of its own (oracle/filter.h, oracle/ball.h); radii are
// bounds that are valid for every truth within that error, so that a filter is never less generous than the
// exact rules.
//
// Laws: the value of any evaluation that rounds each operation to `work` (in any order of sums and products,
// with FMA, through wider types, with the documented errors of functions) is inside; a degenerate interval
// around an exact centre means that every such evaluation gives these bits.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "oracle/algebra.h"
#include "oracle/arithmetic.h"
#include "oracle/ball.h"
#include "oracle/filter.h"

namespace assay {

enum class TruthClass : std::uint8_t { finite, nan, pos_inf, neg_inf };

template <class C>
struct Honest {
  using Scalar = typename C::Scalar;
  enum Flag : std::uint16_t {
    kFinite = 1,  // the interval exists
    kNan = 2,
    kPosInf = 4,
    kNegInf = 8,
    kPosZero = 16,  // a zero, if it occurs, may be +0
    kNegZero = 32,
    kNonNegative = 64,  // no value of the interval is below 0, whatever the radii say
    kNonPositive = 128,
    kUnknown = 256,     // the centre's type could not hold it: ask a better one
    kIndices = 512,     // a set of indices; `above` is its number
    kUnitRange = 1024,  // no value of the interval is beyond +-1
  };

  C centre;  // the truth if that is finite; else some finite value of the interval
  Scalar below = 0;
  Scalar above = 0;
  std::uint16_t flags = kFinite;
  TruthClass truth = TruthClass::finite;

  bool has(Flag f) const { return flags & f; }
  bool is_point() const { return below == 0 && above == 0; }
  bool is_exact() const { return is_point() && centre.is_exact(); }
  Scalar high() const;  // bounds of the interval, whatever the truth within the centre's error
  Scalar low() const;
};

template <class C>
class HonestAlgebra {
 public:
  using Value = Honest<C>;
  using Scalar = typename C::Scalar;

  HonestAlgebra(const Arithmetic& arithmetic, bool any_tie);  // any_tie: argmax may return any of the tied

  Value input(std::size_t tensor, std::int64_t element, DType dtype, std::uint64_t bits);
  Value constant(const Constant& c);
  Value integer(std::int64_t i);
  Value negate(const Value& a);
  Value sum(std::span<const Value> terms, Sum how);
  Value product(std::span<const Value> factors);
  Value power(const Value& a, int n);
  Value divide(const Value& a, const Value& b);
  Value mean(std::span<const Value> terms);
  Value extreme(Extreme kind, std::span<const Value> terms);
  Value call(Function f, const Value& a);
  Truth compare(Comparison op, const Value& a, const Value& b);
  Truth classify(Classify what, const Value& a);
  Value select(Truth condition, const Value& yes, const Value& no);
  Value round(const Value& a, DType dtype);
  Value allow(const Value& a, Classes classes, Truth guard);
  Value arg(Extreme kind, std::span<const Value> terms);

  // May the value also be flushed to zero, below `least_normal`?
  static void flush(Value& v, Scalar least_normal);

  // Whether a decision (a comparison, a floor) was taken that the centre could not tell: then no value of
  // this algebra may be trusted.
  bool in_doubt() const { return in_doubt_; }
  std::span<const std::int64_t> indices(const Value& v) const {
    return sets_[static_cast<std::size_t>(v.above)];
  }

 private:
  struct Limits {  // of a float type
    Format format;
    Scalar unit, least, normal, overflow;
  };
  static Limits limits_of(DType dtype);

  static bool is_usual(const Value& a);
  bool round_usual(Value& v) const;
  static Value special(double x);  // NaN, an infinity or a signed zero
  static Value unknown();
  Value settle(Value v) const;
  void widen(Value& v, Scalar roundings, bool may_underflow) const;
  void round_once(Value& v, bool may_underflow) const;
  Value unite(const Value& a, const Value& b, bool truth_is_b) const;
  Value read_as_tf32(const Value& a) const;
  Value add_up(std::span<const Value> terms, Sum how, bool running);
  Value multiply(const Value& a, const Value& b) const;
  Value divide_finite(const Value& a, const Value& b) const;
  Value divide_around_zero(const Value& a, const Value& b) const;
  Value from_ends(const C& truth, bool truth_is_finite, Scalar low, Scalar high) const;
  Value greatest(std::span<const Value> terms, bool drops_nan);
  Value call_finite(Function f, const Value& a);
  Value call_abs(const Value& a) const;
  Value call_step(Function f, const Value& a);
  void lose_in_call(Function f, const Value& a, Value& result) const;

  Arithmetic arithmetic_;
  Limits work_;
  bool any_tie_;
  bool in_doubt_ = false;
  std::vector<std::vector<std::int64_t>> sets_;
  std::vector<Value> negated_;  // of min's terms
};

template <class C>
typename C::Scalar Honest<C>::high() const {
  const Scalar top = centre.upper();
  const Scalar x = above == 0 ? top : outward_up(top + above);
  if (has(kUnitRange) && x > 1) return 1;
  return has(kNonPositive) && x > 0 ? 0 : x;
}

template <class C>
typename C::Scalar Honest<C>::low() const {
  const Scalar bottom = centre.lower();
  const Scalar x = below == 0 ? bottom : outward_down(bottom - below);
  if (has(kUnitRange) && x < -1) return -1;
  return has(kNonNegative) && x < 0 ? 0 : x;
}

}  // namespace assay
