// Maxima, comparisons, selections and permissions of honest values: rules 13, 14 and 16 to 18 of
// docs/budgets.md.

#include <algorithm>
#include <cmath>

#include "oracle/honest.h"
#include "oracle/honest_parts.h"

namespace assay {

using namespace honest;

namespace {

// The bounds of all that a value may be, infinities included, NaN excluded.
template <class V>
struct Range {
  typename V::Scalar low, high;
  bool any;
};
template <class V>
Range<V> range_of(const V& v) {
  using S = typename V::Scalar;
  constexpr S kInf = std::numeric_limits<S>::infinity();
  Range<V> r{kInf, -kInf, false};
  if (v.has(V::kFinite)) r = {v.low(), v.high(), true};
  if (v.has(V::kPosInf)) r = {std::min(r.low, kInf), kInf, true};
  if (v.has(V::kNegInf)) r = {-kInf, std::max(r.high, -kInf), true};
  return r;
}

}  // namespace

template <class C>
auto HonestAlgebra<C>::greatest(std::span<const Value> terms, bool drops_nan) -> Value {
  const std::size_t n = terms.size();
  unsigned any = 0, all = ~0u;
  bool all_exact = true, surely_infinite = false, surely_nan = false, some_surely_there = false;
  bool truth_nan = false, truth_all_nan = true, truth_inf = false;
  std::size_t best = n;
  bool best_is_truth = false;
  for (std::size_t i = 0; i < n; ++i) {
    const Value& t = terms[i];
    any |= t.flags;
    all &= t.flags;
    all_exact &= t.is_exact();
    const unsigned only = t.flags & (kClasses | Value::kFinite);
    surely_infinite |= only == Value::kPosInf;
    surely_nan |= only == Value::kNan;
    some_surely_there |= !(t.flags & Value::kNan);
    truth_nan |= t.truth == TruthClass::nan;
    truth_all_nan &= t.truth == TruthClass::nan;
    truth_inf |= t.truth == TruthClass::pos_inf;
    if (!t.has(Value::kFinite)) continue;
    const bool is_truth = t.truth == TruthClass::finite;
    if (best == n || (is_truth && !best_is_truth) ||
        (is_truth == best_is_truth && C::order(t.centre, terms[best].centre) == 1)) {
      best = i;
      best_is_truth = is_truth;
    }
  }
  if (any & Value::kUnknown) return unknown();
  if (!drops_nan && surely_nan) return special(NAN);
  Value v;
  v.flags = 0;
  const bool is_nan = drops_nan ? truth_all_nan : truth_nan;
  v.truth = is_nan          ? TruthClass::nan
            : truth_inf     ? TruthClass::pos_inf
            : best_is_truth ? TruthClass::finite
                            : TruthClass::neg_inf;
  set(v, Value::kNan, drops_nan ? !some_surely_there : (any & Value::kNan));
  set(v, Value::kPosInf, any & Value::kPosInf);
  bool all_may_be_least = true;
  for (const Value& t : terms) all_may_be_least &= t.has(Value::kNegInf) || (drops_nan && t.has(Value::kNan));
  set(v, Value::kNegInf, all_may_be_least && (any & Value::kNegInf));
  if (best == n || surely_infinite) return v;

  const Value& top = terms[best];
  set(v, Value::kFinite);
  v.centre = top.centre;
  if (all_exact && !(any & kClasses)) {
    set(v, Value::kNonNegative, top.low() >= 0);
    set(v, Value::kNonPositive, top.high() <= 0);
  } else {
    // How far the truth may be above the centre that looks largest.
    const Scalar bottom = top.centre.lower(), middle = top.centre.approximate();
    Scalar doubt = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (i != best && terms[i].truth == TruthClass::finite && terms[i].has(Value::kFinite))
        doubt = std::max(doubt, terms[i].centre.upper() - bottom);
    doubt = doubt == 0 ? 0 : outward_up(doubt);
    if (doubt != 0) v.centre = top.centre.widened(doubt);
    const Scalar own = std::max(top.centre.upper() - middle, middle - bottom);
    Scalar least_below = std::numeric_limits<Scalar>::infinity(), most_below = 0;
    bool nonnegative = false, nonpositive = true;
    for (const Value& t : terms) {
      if (!t.has(Value::kFinite)) continue;
      const Scalar c = t.centre.approximate();
      const Scalar error =
          &t == &top ? Scalar(0) : std::max(t.centre.upper() - c, c - t.centre.lower()) + own;
      const Scalar gap = middle - c;  // >= 0 but for truths that are no number
      v.above = std::max(v.above, outward_up(t.above - outward_down(gap) + error));
      const Scalar below = outward_up(t.below + outward_up(gap) + error + doubt);
      most_below = std::max(most_below, below);
      if (!(t.flags & kClasses)) {
        least_below = std::min(least_below, below);
        nonnegative |= t.low() >= 0;
      }
      nonpositive &= t.high() <= 0;
    }
    v.below = std::max(Scalar(0), std::isinf(least_below) ? most_below : least_below);
    set(v, Value::kNonNegative, nonnegative);
    set(v, Value::kNonPositive, nonpositive);
  }
  if (v.low() <= 0 && v.high() >= 0)
    for (const Value& t : terms)
      if (may_be_zero(t)) v.flags |= t.flags & (Value::kPosZero | Value::kNegZero);
  return v;
}

template <class C>
auto HonestAlgebra<C>::extreme(Extreme kind, std::span<const Value> terms) -> Value {
  const bool is_max = kind == Extreme::max || kind == Extreme::fmax;
  const bool drops_nan = kind == Extreme::fmax || kind == Extreme::fmin;
  if (terms.empty()) return special(is_max ? -HUGE_VAL : HUGE_VAL);
  if (is_max) return settle(greatest(terms, drops_nan));
  negated_.clear();
  for (const Value& t : terms) negated_.push_back(negate(t));
  return settle(negate(greatest(negated_, drops_nan)));
}

template <class C>
auto HonestAlgebra<C>::arg(Extreme kind, std::span<const Value> terms) -> Value {
  const bool is_max = kind == Extreme::max || kind == Extreme::fmax;
  if (!is_max) {
    negated_.clear();
    for (const Value& t : terms) negated_.push_back(negate(t));
    terms = negated_;
  }
  // The greatest of the lower bounds, the first sure NaN, and the truth's own choice.
  Scalar bound = -std::numeric_limits<Scalar>::infinity();
  std::size_t first_nan = terms.size(), truth = terms.size();
  const auto rank = [](const Value& t) {
    return t.truth == TruthClass::nan       ? 3
           : t.truth == TruthClass::pos_inf ? 2
           : t.truth == TruthClass::finite  ? 1
                                            : 0;
  };
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Value& t = terms[i];
    if (t.has(Value::kUnknown)) in_doubt_ = true;
    const unsigned only = t.flags & (kClasses | Value::kFinite);
    if (only == Value::kNan && first_nan == terms.size()) first_nan = i;
    if (!(only & Value::kNan)) bound = std::max(bound, range_of(t).low);
    if (truth == terms.size() || rank(t) > rank(terms[truth]) ||
        (rank(t) == 1 && rank(terms[truth]) == 1 && C::order(t.centre, terms[truth].centre) == 1))
      truth = i;
  }
  std::vector<std::int64_t> set_of;
  std::size_t first_point = terms.size();  // of the exact maxima: later equal ones are no answers
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Value& t = terms[i];
    if (first_nan < terms.size() && i > first_nan) break;
    const bool may_be_nan = t.has(Value::kNan);
    if (first_nan < terms.size() && !may_be_nan) continue;
    const Range<Value> r = range_of(t);
    if (!may_be_nan && !(r.any && r.high >= bound)) continue;
    const bool is_point = !may_be_nan && (t.is_exact() || !t.has(Value::kFinite)) && r.low == r.high;
    if (is_point && !any_tie_) {
      if (first_point < terms.size()) {
        const Value& f = terms[first_point];
        const bool same = f.has(Value::kFinite) && t.has(Value::kFinite) ? C::order(f.centre, t.centre) == 0
                                                                         : range_of(f).low == r.low;
        if (same) continue;
      }
      first_point = i;
    }
    set_of.push_back(static_cast<std::int64_t>(i));
  }
  Value v = integer(terms.empty() ? -1 : static_cast<std::int64_t>(truth));
  set(v, Value::kIndices);
  v.above = static_cast<Scalar>(sets_.size());
  sets_.push_back(std::move(set_of));
  return v;
}

template <class C>
Truth HonestAlgebra<C>::compare(Comparison op, const Value& a, const Value& b) {
  if ((a.flags | b.flags) & Value::kUnknown) {
    in_doubt_ = true;
    return {true, true, true};
  }
  Truth t;
  const Range<Value> x = range_of(a), y = range_of(b);
  const auto may = [&](int order) { (holds(op, order, 0) ? t.may_be_true : t.may_be_false) = true; };
  if (x.any && y.any) {
    if (x.low < y.high) may(-1);
    if (x.high > y.low) may(1);
    if (x.low <= y.high && y.low <= x.high) may(0);
  }
  const bool unordered = op == Comparison::not_equal;
  if ((a.flags | b.flags) & Value::kNan) (unordered ? t.may_be_true : t.may_be_false) = true;
  if (a.truth == TruthClass::nan || b.truth == TruthClass::nan) {
    t.at_truth = unordered;
  } else if (a.truth == TruthClass::finite && b.truth == TruthClass::finite) {
    const int order = C::order(a.centre, b.centre);
    if (order == 2) {
      in_doubt_ |= t.may_be_true && t.may_be_false;
      t.at_truth = t.may_be_true;
    } else {
      t.at_truth = holds(op, order, 0);
    }
  } else {
    const double p = class_of(a), q = class_of(b);
    t.at_truth = holds(op, (p > q) - (p < q), 0);
  }
  return t;
}

template <class C>
Truth HonestAlgebra<C>::classify(Classify what, const Value& a) {
  if (a.has(Value::kUnknown)) {
    in_doubt_ = true;
    return {true, true, false};
  }
  const unsigned wanted = what == Classify::nan ? Value::kNan : Value::kPosInf | Value::kNegInf;
  const unsigned classes = a.flags & (kClasses | Value::kFinite);
  const bool is = what == Classify::nan ? a.truth == TruthClass::nan
                                        : a.truth == TruthClass::pos_inf || a.truth == TruthClass::neg_inf;
  return {(classes & wanted) != 0, (classes & ~wanted) != 0, is};
}

template <class C>
auto HonestAlgebra<C>::select(Truth condition, const Value& yes, const Value& no) -> Value {
  if (condition.surely_true()) return yes;
  if (condition.surely_false()) return no;
  return unite(yes, no, !condition.at_truth);
}

// Rule 16: what is stored in a narrower type is rounded to it, or not.
template <class C>
auto HonestAlgebra<C>::round(const Value& a, DType dtype) -> Value {
  const Limits type = limits_of(dtype);
  if (!a.has(Value::kFinite) || a.has(Value::kUnknown) || type.format.precision >= work_.format.precision)
    return a;
  Value v = a;
  const Scalar low = a.low(), high = a.high();
  if (a.is_exact()) {
    if (a.centre.approximate() == 0) return a;
    const int top = a.centre.highest_bit();
    if (std::fabs(static_cast<double>(a.centre.approximate())) <= type.format.largest() &&
        a.centre.lowest_bit() >= std::max(top - type.format.precision + 1, type.format.min_exponent))
      return a;
  }
  v.above = outward_up(a.above + std::max(type.unit * std::fabs(high), type.least / 2));
  v.below = outward_up(a.below + std::max(type.unit * std::fabs(low), type.least / 2));
  set(v, Value::kNonNegative, low >= 0);
  set(v, Value::kNonPositive, high <= 0);
  set(v, Value::kPosZero, high > 0 && low <= type.least / 2);
  set(v, Value::kNegZero, low < 0 && high >= -type.least / 2);
  set(v, type.format.has_infinity ? Value::kPosInf : Value::kNan, high >= type.overflow);
  set(v, type.format.has_infinity ? Value::kNegInf : Value::kNan, low <= -type.overflow);
  return settle(v);
}

template <class C>
auto HonestAlgebra<C>::allow(const Value& a, Classes classes, Truth guard) -> Value {
  if (!guard.may_be_true) return a;
  Value v = a;
  if (classes.pos_zero) v = unite(v, special(0.0), false);
  if (classes.neg_zero) v = unite(v, special(-0.0), false);
  set(v, Value::kNan, classes.nan);
  set(v, Value::kPosInf, classes.pos_inf);
  set(v, Value::kNegInf, classes.neg_inf);
  if (classes.zero_sign) v.flags |= Value::kPosZero | Value::kNegZero;
  return v;
}

#define ASSAY_CHOICES(C)                                                              \
  template auto HonestAlgebra<C>::extreme(Extreme, std::span<const Value>)->Value;    \
  template auto HonestAlgebra<C>::arg(Extreme, std::span<const Value>)->Value;        \
  template Truth HonestAlgebra<C>::compare(Comparison, const Value&, const Value&);   \
  template Truth HonestAlgebra<C>::classify(Classify, const Value&);                  \
  template auto HonestAlgebra<C>::select(Truth, const Value&, const Value&) -> Value; \
  template auto HonestAlgebra<C>::round(const Value&, DType) -> Value;                \
  template auto HonestAlgebra<C>::allow(const Value&, Classes, Truth) -> Value;
ASSAY_CHOICES(Filter<double>)
ASSAY_CHOICES(Filter<long double>)
ASSAY_CHOICES(Ball)
#undef ASSAY_CHOICES

}  // namespace assay
