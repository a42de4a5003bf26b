#include "oracle/ruling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "oracle/honest_parts.h"

namespace assay {

using namespace honest;

namespace {

ElementReport refuse(ElementReport r, Reason reason) {
  r.ruling = Ruling::refused;
  r.reason = reason;
  return r;
}
ElementReport unsure(ElementReport r) {
  r.ruling = Ruling::undecidable;
  return r;
}

// The midpoints between |y| and its neighbours in a format; both are values of T.
template <class T>
struct Neighbours {
  T inner, outer;
  bool even;
};
template <class T>
Neighbours<T> neighbours(T y, const Format& f) {
  const T size = std::fabs(y);
  if (size == 0) {
    const T half = static_cast<T>(f.least_subnormal()) / 2;
    return {-half, half, true};
  }
  const int top = Filter<T>{size, 0}.highest_bit();
  const int quantum = std::max(top - f.precision + 1, f.min_exponent);
  const T half = filter_parts::two_to(quantum - 1, T());
  const bool lowest_of_binade =
      size == filter_parts::two_to(top, T()) && top > f.min_exponent + f.precision - 1;
  const auto count = static_cast<std::int64_t>(size / (2 * half));
  return {size - (lowest_of_binade ? half / 2 : half), size + half, count % 2 == 0};
}

// A bound of the interval, rounded to the format, for people.
template <class T>
double rounded(T x, const Format& f) {
  if (std::isinf(x)) return static_cast<double>(x);
  return Filter<T>{x, 0}.round_to(f);
}

template <class V>
double truth_of(const V& v) {
  switch (v.truth) {
    case TruthClass::nan:
      return std::numeric_limits<double>::quiet_NaN();
    case TruthClass::pos_inf:
      return HUGE_VAL;
    case TruthClass::neg_inf:
      return -HUGE_VAL;
    case TruthClass::finite:
      break;
  }
  return v.centre.to_double();
}

template <class C>
ElementReport rule_integer(const HonestAlgebra<C>& algebra, const Honest<C>& v, const TensorSpec& spec,
                           std::uint64_t bits, ElementReport r) {
  using V = Honest<C>;
  const std::int64_t got = decode_integer(spec.dtype, bits);
  r.got = static_cast<double>(got);
  if (v.has(V::kIndices)) {
    const auto set = algebra.indices(v);
    if (!set.empty()) {
      r.low = static_cast<double>(set.front());
      r.high = static_cast<double>(set.back());
    }
    r.exact = set.size() == 1;
    return std::find(set.begin(), set.end(), got) != set.end() ? r : refuse(r, Reason::index);
  }
  // C++ leaves open which integer a NaN or an infinity becomes.
  if (v.has(V::kNan) || v.has(V::kPosInf) || v.has(V::kNegInf)) {
    r.low = -HUGE_VAL;
    r.high = HUGE_VAL;
    return r;
  }
  r.low = static_cast<double>(v.low());
  r.high = static_cast<double>(v.high());
  r.exact = v.is_exact();
  const Reason reason = spec.is_index ? Reason::index : r.exact ? Reason::exact : Reason::value;
  return v.has(V::kFinite) && r.low <= r.got && r.got <= r.high ? r : refuse(r, reason);
}

}  // namespace

template <class C>
ElementReport rule(const HonestAlgebra<C>& algebra, Honest<C> v, const TensorSpec& spec, std::uint64_t bits,
                   const RulingOptions& options) {
  using V = Honest<C>;
  using T = typename C::Scalar;
  ElementReport r;
  r.got = decode(spec.dtype, bits);
  if (v.has(V::kUnknown) || algebra.in_doubt()) return unsure(r);
  r.truth = truth_of(v);
  if (!is_float(spec.dtype)) return rule_integer(algebra, v, spec, bits, r);

  const Format f = format_of(spec.dtype);
  if (options.may_flush) HonestAlgebra<C>::flush(v, static_cast<T>(f.least_normal()));
  if (!f.has_infinity && (v.has(V::kPosInf) || v.has(V::kNegInf))) {
    set(v, V::kNan);
    clear(v, V::kPosInf | V::kNegInf);
  }
  const bool finite = v.has(V::kFinite);
  const T low = v.low(), high = v.high();
  r.nan_allowed = v.has(V::kNan);
  r.exact = finite && v.is_exact();
  r.low = !finite ? 0 : r.exact ? v.centre.round_to(f) : rounded(low, f);
  r.high = !finite ? 0 : r.exact ? r.low : rounded(high, f);
  r.pos_inf_allowed = f.has_infinity && (v.has(V::kPosInf) || r.high == HUGE_VAL);
  r.neg_inf_allowed = f.has_infinity && (v.has(V::kNegInf) || r.low == -HUGE_VAL);
  r.finite_allowed = finite && r.low != HUGE_VAL && r.high != -HUGE_VAL;
  const bool truth_is_finite = v.truth == TruthClass::finite;
  r.useless = finite && truth_is_finite && low <= 0 && high >= 0 && class_of(v) != 0 && !r.exact;

  const double y = r.got;
  const bool demands_nan = (v.flags & (kClasses | V::kFinite)) == V::kNan;
  const T overflow =
      static_cast<T>(f.largest()) + static_cast<T>(std::ldexp(1.0, f.max_exponent - f.precision));
  if (std::isnan(y)) {
    if (r.nan_allowed || f.has_infinity || !finite) return r.nan_allowed ? r : refuse(r, Reason::nan);
    // What is beyond the range is NaN; the midpoint is not, as 448 is even.
    const int above = v.centre.order(v.above, overflow), below = -v.centre.order(-v.below, -overflow);
    r.nan_allowed = above == 1 || below == 1;
    if (r.nan_allowed) return r;
    return above == 2 || below == -2 ? unsure(r) : refuse(r, Reason::nan);
  }
  r.nan_allowed |= !f.has_infinity && (r.high == HUGE_VAL || r.low == -HUGE_VAL);
  if (std::isinf(y)) {
    if (y > 0 ? v.has(V::kPosInf) : v.has(V::kNegInf)) return r;
    if (finite) {
      const int beyond = y > 0 ? v.centre.order(v.above, overflow) : -v.centre.order(-v.below, -overflow);
      if (beyond == 0 || beyond == 1) return r;
      if (beyond == 2 || beyond == -2) return unsure(r);
    }
    return refuse(r, demands_nan ? Reason::nan : Reason::infinity);
  }
  if (!finite) return refuse(r, demands_nan ? Reason::nan : Reason::infinity);

  // Is y at most RN(high), and at least RN(low)? The ends are compared with the midpoints beside y.
  const Neighbours<T> n = neighbours(static_cast<T>(y), f);
  const T lower = y < 0 ? -n.outer : n.inner, upper = y < 0 ? -n.inner : n.outer;
  const auto within = [&](int order, bool ruled_out) {
    return ruled_out ? -1 : order == 0 ? (n.even ? 1 : -1) : order;
  };
  const bool above_signs = (v.has(V::kNonPositive) && lower > 0) || (v.has(V::kUnitRange) && lower > 1);
  const bool below_signs = (v.has(V::kNonNegative) && upper < 0) || (v.has(V::kUnitRange) && upper < -1);
  const int order_high = v.centre.order(v.above, lower), order_low = v.centre.order(-v.below, upper);
  const int under = within(order_high, above_signs);
  const int over = within(order_low == 2 ? 2 : -order_low, below_signs);

  if (truth_is_finite) {
    const T truth = v.centre.approximate();
    const T distance = std::fabs(static_cast<T>(y) - truth);
    const T edge = y > truth ? static_cast<T>(r.high) - truth : truth - static_cast<T>(r.low);
    const Neighbours<T> t = neighbours(static_cast<T>(std::clamp(r.truth, -f.largest(), f.largest())), f);
    r.excess =
        distance == 0
            ? 0
            : static_cast<double>(distance / std::max(edge, t.outer - std::fabs(static_cast<T>(r.truth))));
  }
  const bool refused = under == -1 || over == -1;
  if (refused) {
    r.excess = std::max(r.excess, 1 + 0x1p-20);
    if (!r.finite_allowed && !f.has_infinity) r.low = r.high = std::numeric_limits<double>::quiet_NaN();
    if (!r.finite_allowed) return refuse(r, f.has_infinity ? Reason::infinity : Reason::nan);
    return refuse(r, r.exact ? Reason::exact : Reason::value);
  }
  if (under == 2 || over == 2) return unsure(r);
  r.excess = std::min(r.excess, 1.0);
  if (y == 0 && !options.zero_sign_free) {
    const bool allowed = std::signbit(y) ? v.has(V::kNegZero) || low < 0 : v.has(V::kPosZero) || high > 0;
    if (!allowed) return refuse(r, Reason::zero_sign);
  }
  return r;
}

template ElementReport rule(const HonestAlgebra<Filter<double>>&, Honest<Filter<double>>, const TensorSpec&,
                            std::uint64_t, const RulingOptions&);
template ElementReport rule(const HonestAlgebra<Filter<long double>>&, Honest<Filter<long double>>,
                            const TensorSpec&, std::uint64_t, const RulingOptions&);
template ElementReport rule(const HonestAlgebra<Ball>&, Honest<Ball>, const TensorSpec&, std::uint64_t,
                            const RulingOptions&);

}  // namespace assay
