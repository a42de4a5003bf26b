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
#include <limits>
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
  std::int32_t accumulation = -1;  // of a sum: what was added up, in the algebra's keeping

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
  // Terms whose bit is set are sums: one accumulator may run through their terms and the others, in any
  // order.
  Value join(std::span<const Value> terms, Sum how, std::uint32_t sums);
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

  // A sum or a product that grows by a term at a time, for scans: value() is what sum() or product() gives.
  struct Running;
  Running start(bool product) const { return {product, {}, {}, {}}; }
  bool extend(Running& running, const Value& term) const;  // always true here
  Value value(const Running& running);

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

  // Of the terms of a sum, all that its budget needs.
  struct Totals {
    std::size_t n = 0;
    std::int64_t nonzero = 0;
    unsigned any = 0;
    unsigned all = ~0u;
    Scalar above = 0, below = 0;
    Scalar size = 0, positive = 0, negative = 0;
    Scalar low = 0, high = 0;
    double classes = 0;
    int quantum = std::numeric_limits<int>::max();
    bool exact = true, all_nonnegative = true, all_nonpositive = true, all_may_be_negative_zero = true;
    bool all_surely_negative_zero = true, vanishes_below = false, surely_nan = false;

    void add(const Value& t);
  };
  // Of the factors of a product.
  struct Factors {
    std::size_t n = 0;
    Value first;
    Value product;  // without any rounding
    Scalar most = 1, least = 1;
    int bits = 0, wide = 0;
    bool exact = true, zero = false, infinite = false, positive = true, negative = false;
  };
  void add(Factors& factors, const Value& f) const;
  Value finish(Factors factors) const;

  // What a sum was made of, for sums that it is part of.
  struct Accumulation {
    std::int64_t terms = 0;  // that are not surely 0
    Scalar size = 0;         // sum of their magnitudes
    Scalar positive = 0;     // of the positive ones, of the negative ones
    Scalar negative = 0;
    Scalar lost = 0;  // charged for its own roundings
    int quantum =
        std::numeric_limits<int>::max();  // all are exact multiples of 2^quantum; least: they are not
  };
  static constexpr int kInexact = std::numeric_limits<int>::min();
  template <class Centre>
  Value add_up(const Totals& t, Sum how, bool running, const Accumulation* joined, Centre&& centre);
  Accumulation accumulated(std::span<const Value> terms, std::uint32_t sums) const;
  Scalar lose_in_join(const Accumulation& whole, std::size_t n, Scalar apart, Value& v) const;
  bool fits(const Accumulation& a) const;
  void keep(Value& v, Accumulation a, Scalar lost);
  void keep_scaled(Value& v, std::span<const Value> factors);

  static bool is_usual(const Value& a);
  bool round_usual(Value& v) const;
  static Value special(double x);  // NaN, an infinity or a signed zero
  static Value unknown();
  Value settle(Value v) const;
  void widen(Value& v, Scalar roundings, bool may_underflow) const;
  void round_once(Value& v, bool may_underflow) const;
  Value unite(const Value& a, const Value& b, bool truth_is_b) const;
  Value read_as_tf32(const Value& a) const;
  Value add_up(std::span<const Value> terms, Sum how, bool running, std::uint32_t sums = 0);
  Value multiply_out(std::span<const Value> factors);
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
  std::vector<Accumulation> accumulations_;
};

template <class C>
struct HonestAlgebra<C>::Running {
  bool product = false;
  Totals totals;
  typename C::Sum centre;
  Factors factors;
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
