// Quotients and functions of honest values: rules 10 and 15 of docs/budgets.md.

#include <algorithm>
#include <cmath>

#include "oracle/honest.h"
#include "oracle/honest_parts.h"

namespace assay {

using namespace honest;

namespace {

// Functions that are defined from here on only.
bool has_lower_limit(Function f) {
  return f == Function::log || f == Function::sqrt || f == Function::rsqrt || f == Function::log1p;
}
bool keeps_sign(Function f) {
  return f == Function::tanh || f == Function::erf || f == Function::expm1 || f == Function::log1p;
}
bool stays_in_unit_range(Function f) {
  return f == Function::tanh || f == Function::erf || f == Function::sin || f == Function::cos;
}

}  // namespace

// The interval [low, high]; around the truth where that is finite and inside.
template <class C>
auto HonestAlgebra<C>::from_ends(const C& truth, bool truth_is_finite, Scalar low, Scalar high) const
    -> Value {
  Value v;
  low = outward_down(low);
  high = outward_up(high);
  v.centre = truth_is_finite ? truth : C::exact(static_cast<double>(std::clamp(Scalar(0), low, high)));
  v.below = std::max(Scalar(0), outward_up(v.centre.upper() - low));
  v.above = std::max(Scalar(0), outward_up(high - v.centre.lower()));
  set(v, Value::kNonNegative, low >= 0);
  set(v, Value::kNonPositive, high <= 0);
  return v;
}

// A divisor that may be 0: both infinities by the signs present, NaN for 0 / 0, and what |b| >= the least
// subnormal leaves finite.
template <class C>
auto HonestAlgebra<C>::divide_around_zero(const Value& a, const Value& b) const -> Value {
  const Scalar al = a.low(), ah = a.high(), bl = b.low(), bh = b.high();
  const bool crosses = bl < 0 && bh > 0;
  const Signs zero{b.has(Value::kPosZero) || crosses, b.has(Value::kNegZero) || crosses};
  const Signs infinite = Signs{ah > 0, al < 0} * zero;
  Value v;
  v.flags = 0;
  Scalar low = std::numeric_limits<Scalar>::infinity(), high = -low;
  const auto corner = [&](Scalar x, Scalar y) {
    low = std::min(low, x / y);
    high = std::max(high, x / y);
  };
  for (const Scalar x : {al, ah}) {
    if (bh >= work_.least) corner(x, bh), corner(x, std::max(bl, work_.least));
    if (bl <= -work_.least) corner(x, bl), corner(x, std::min(bh, -work_.least));
  }
  if (low <= high) {
    const bool finite = class_of(b) != 0;
    v = from_ends(finite ? C::divide(a.centre, b.centre) : C{}, finite, low, high);
    const Signs s = signs(a) * Signs{bh > 0, bl < 0};
    set(v, Value::kPosZero, s.positive && v.low() <= 0 && v.high() >= 0);
    set(v, Value::kNegZero, s.negative && v.low() <= 0 && v.high() >= 0);
  }
  set(v, Value::kPosInf, infinite.positive);
  set(v, Value::kNegInf, infinite.negative);
  set(v, Value::kNan, may_be_zero(a));
  return v;
}

template <class C>
auto HonestAlgebra<C>::divide_finite(const Value& a, const Value& b) const -> Value {
  const bool touches_zero = b.low() <= 0 && b.high() >= 0;
  Value v;
  bool is_scaling = false;
  if (touches_zero) {
    v = divide_around_zero(a, b);
    if (!v.has(Value::kFinite)) return v;
  } else {
    v.centre = C::divide(a.centre, b.centre);
    if (!a.is_point() || !b.is_point()) {
      // (a + s) / (b + t) - a / b = (s - t a/b) / (b + t) at the four corners.
      const Scalar q = v.centre.approximate(), y = b.centre.approximate();
      const Scalar eq = std::max(v.centre.upper() - q, q - v.centre.lower());
      const Scalar eb = std::max(b.centre.upper() - y, y - b.centre.lower());
      const Scalar floor = smallest(b);
      for (const Scalar s : {a.above, -a.below})
        for (const Scalar t : {b.above, -b.below}) {
          const Scalar move = (s - t * q) / (y + t);
          const Scalar size = std::fabs(s) + std::fabs(t * q);
          const Scalar slack = size / floor * (eb / floor + Scalar(0x1p-48)) + std::fabs(t) * eq / floor;
          v.above = std::max(v.above, move + slack);
          v.below = std::max(v.below, slack - move);
        }
    }
    const Signs s = Signs{a.high() > 0, a.low() < 0} * Signs{b.high() > 0, b.low() < 0};
    set(v, Value::kNonNegative, !s.negative);
    set(v, Value::kNonPositive, !s.positive);
    if (may_be_zero(a)) {
      const Signs z = signs(a) * Signs{b.high() > 0, b.low() < 0};
      set(v, Value::kPosZero, z.positive);
      set(v, Value::kNegZero, z.negative);
    }
    is_scaling = b.is_exact() && b.centre.lowest_bit() == b.centre.highest_bit();
  }
  // x * (1 / b) is honest: one ulp more, unless the divisor is a power of two. Rule 10.
  const Scalar ulps = arithmetic_.fast_math ? 2 : 1;
  if (is_scaling) {
    round_once(v, true);
  } else {
    widen(v, 2 * ulps + 1, true);
  }
  if (arithmetic_.fast_math && arithmetic_.work == DType::f32 && largest(b) >= Scalar(0x1p126)) {
    // div.approx returns 0 for huge divisors.
    const Signs s = signs(a) * signs(b);
    if (s.positive) v = unite(v, special(0.0), false);
    if (s.negative) v = unite(v, special(-0.0), false);
  }
  return v;
}

template <class C>
auto HonestAlgebra<C>::divide(const Value& a, const Value& b) -> Value {
  const unsigned any = a.flags | b.flags;
  if (any & Value::kUnknown) return unknown();
  const double truth = class_of(a) / class_of(b);
  if (!(any & kClasses)) {
    Value v = divide_finite(a, b);
    v.truth = truth_class(truth);
    return settle(v);
  }
  constexpr unsigned kInf = Value::kPosInf | Value::kNegInf;
  Value v;
  v.flags = 0;
  v.truth = TruthClass::nan;
  if (a.flags & b.flags & Value::kFinite) v = divide_finite(a, b);
  const Signs infinite_a{a.has(Value::kPosInf), a.has(Value::kNegInf)};
  const Signs infinite_b{b.has(Value::kPosInf), b.has(Value::kNegInf)};
  const Signs zero = signs(a) * infinite_b;
  const bool truth_is_zero = b.truth == TruthClass::pos_inf || b.truth == TruthClass::neg_inf;
  if (zero.positive) v = unite(v, special(0.0), truth_is_zero);
  if (zero.negative) v = unite(v, special(-0.0), truth_is_zero && std::signbit(truth));
  const Signs infinite = infinite_a * signs(b);
  set(v, Value::kPosInf, infinite.positive);
  set(v, Value::kNegInf, infinite.negative);
  set(v, Value::kNan, (any & Value::kNan) || ((a.flags & kInf) && (b.flags & kInf)));
  v.truth = truth_class(truth);
  return settle(v);
}

template <class C>
void HonestAlgebra<C>::lose_in_call(Function f, const Value& a, Value& result) const {
  const auto stated = arithmetic_.accuracy[static_cast<std::size_t>(f)];
  Scalar ulps =
      static_cast<Scalar>(stated.value_or(documented_ulps(f, arithmetic_.work, arithmetic_.fast_math)));
  Scalar absolute = 0;
  const bool intrinsics = arithmetic_.fast_math && arithmetic_.work == DType::f32 && !stated;
  if (intrinsics) {
    const Scalar size = largest(a);
    if (f == Function::exp) ulps += Scalar(1.173) * size;
    if (f == Function::log && a.low() <= 2 && a.high() >= Scalar(0.5))
      absolute = Scalar(0x1.82p-22);  // 2^-21.41
    if (f == Function::sin ||
        f == Function::cos)  // 2^-21.19 inside +-pi, 2^-14.7 inside 100 pi, nothing beyond
      absolute = size <= Scalar(3.1415) ? Scalar(0x1.c1p-22)
                 : size <= Scalar(314)  ? Scalar(0x1.3bp-15)
                                        : Scalar(2);
  }
  if (!intrinsics && a.is_exact() && result.is_exact() && (ulps == 0 || f != Function::rsqrt)) {
    round_once(result, true);
    return;
  }
  widen(result, 2 * ulps + 1, true);
  result.above += absolute;
  result.below += absolute;
}

template <class C>
auto HonestAlgebra<C>::call_abs(const Value& a) const -> Value {
  if (a.low() >= 0 && a.high() > 0) {
    Value v = a;
    clear(v, Value::kNegZero);
    set(v, Value::kPosZero, may_be_zero(a));
    return v;
  }
  Value v;
  v.centre = C::call(Function::abs, a.centre);
  const bool crosses = a.low() < 0 && a.high() > 0;
  const bool was_negative = a.centre.is_negative();
  v.above = crosses ? std::max(a.above, a.below) : was_negative ? a.below : a.above;
  v.below = crosses ? std::max(v.centre.upper(), Scalar(0)) : was_negative ? a.above : a.below;
  set(v, Value::kNonNegative);
  set(v, Value::kPosZero, may_be_zero(a));
  set(v, Value::kUnitRange, a.has(Value::kUnitRange));
  return v;
}

// floor and sign: they jump, so that the centre must know on which side of a jump it is.
template <class C>
auto HonestAlgebra<C>::call_step(Function f, const Value& a) -> Value {
  const bool sure = f == Function::floor ? C::floor_is_sure(a.centre) : C::order(a.centre, C::exact(0)) != 2;
  in_doubt_ |= !sure;
  const double truth = evaluate(f, sure ? C::call(f, a.centre).to_double() : 0.0);
  Value v = truth == 0 ? special(0) : special(truth);
  const Scalar low = evaluate(f, a.low()), high = evaluate(f, a.high());
  v.below = std::max(Scalar(0), Scalar(truth) - low);
  v.above = std::max(Scalar(0), high - Scalar(truth));
  if (a.has(Value::kNegZero) || a.low() < 0) set(v, Value::kNegZero, a.has(Value::kNegZero));
  set(v, Value::kPosZero, low <= 0 && high >= 0 && (a.high() > 0 || a.has(Value::kPosZero)));
  if (!v.has(Value::kPosZero) && !v.has(Value::kNegZero)) set(v, Value::kPosZero);
  return v;
}

template <class C>
auto HonestAlgebra<C>::call_finite(Function f, const Value& a) -> Value {
  if (f == Function::abs) return call_abs(a);
  if (f == Function::floor || f == Function::sign) return call_step(f, a);

  const Scalar low = a.low(), high = a.high();
  const Scalar limit = f == Function::log1p ? -1 : 0;
  const bool closed = f == Function::sqrt;  // defined at its limit, too
  Value v;
  if (has_lower_limit(f) && (closed ? low < limit || (low == limit && !a.is_exact()) : low <= limit)) {
    // What lies below the limit is NaN, the limit itself an infinity; the rest keeps an interval.
    const int side = C::order(a.centre, C::exact(static_cast<double>(limit)));
    in_doubt_ |= side == 2;
    const Scalar first = closed ? limit : limit == 0 ? work_.least : limit + work_.unit;
    const bool truth_is_finite = side == 1 || (side == 0 && closed);
    v.flags = 0;
    if (high >= first) {
      const C truth = truth_is_finite ? C::call(f, a.centre) : C{};
      const Scalar x = evaluate(f, std::max(low, first)), y = evaluate(f, high);
      v = from_ends(truth, truth_is_finite, std::min(x, y), std::max(x, y));
      if (closed && may_be_zero(a)) v.flags |= a.flags & (Value::kPosZero | Value::kNegZero);
      if (f == Function::log1p && may_be_zero(a)) v.flags |= a.flags & (Value::kPosZero | Value::kNegZero);
      if (f == Function::log) set(v, Value::kPosZero, low <= 1 && high >= 1);
      if (f == Function::rsqrt || f == Function::sqrt) set(v, Value::kNonNegative);
      lose_in_call(f, a, v);
    }
    set(v, Value::kNan, low < limit);
    const bool at_limit = low <= limit && high >= limit;
    if (at_limit && f != Function::rsqrt && !closed) set(v, Value::kNegInf);
    if (at_limit && f == Function::rsqrt) {
      set(v, Value::kPosInf, a.has(Value::kPosZero) || (high > 0 && !a.has(Value::kNegZero)));
      set(v, Value::kNegInf, a.has(Value::kNegZero));
    }
    if (!truth_is_finite) {
      if (side < 0)
        v.truth = TruthClass::nan;
      else if (f == Function::rsqrt)
        v.truth = a.centre.is_negative() ? TruthClass::neg_inf : TruthClass::pos_inf;
      else
        v.truth = TruthClass::neg_inf;
    }
    return v;
  }

  v.centre = C::call(f, a.centre);
  if (!a.is_point()) {
    const Scalar c = a.centre.approximate(), at = v.centre.approximate();
    const Scalar error = std::max(a.centre.upper() - c, c - a.centre.lower());
    // Seen from any truth within the centre's error.
    const Scalar room = has_lower_limit(f) ? (c - limit) : std::numeric_limits<Scalar>::infinity();
    const Scalar up = deviation(f, c, at, a.above == 0 ? Scalar(0) : a.above + error);
    const Scalar down = deviation(
        f, c, at, a.below == 0 ? Scalar(0) : -std::min(a.below + error, room * Scalar(1 - 0x1p-20)));
    Scalar slack = 0;
    if (error != 0 && error < room)
      slack = std::max(std::fabs(deviation(f, c, at, error)), std::fabs(deviation(f, c, at, -error)));
    if (f == Function::sin || f == Function::cos) {
      v.above = v.below = (std::max(up, down) + slack) * Scalar(kInflate);
    } else {
      v.above = (std::max({up, down, Scalar(0)}) + slack) * Scalar(kInflate);
      v.below = (std::max({-up, -down, Scalar(0)}) + slack) * Scalar(kInflate);
    }
  }
  if (f == Function::exp || f == Function::sqrt || f == Function::rsqrt) set(v, Value::kNonNegative);
  if (keeps_sign(f)) {
    set(v, Value::kNonNegative, low >= 0);
    set(v, Value::kNonPositive, high <= 0);
  }
  if (f == Function::log) {
    set(v, Value::kNonNegative, low >= 1);
    set(v, Value::kNonPositive, high <= 1);
    set(v, Value::kPosZero, low <= 1 && high >= 1);
  }
  if (low <= 0 && high >= 0 && (keeps_sign(f) || f == Function::sin || f == Function::sqrt))
    v.flags |= a.flags & (Value::kPosZero | Value::kNegZero);
  lose_in_call(f, a, v);
  set(v, Value::kUnitRange, stays_in_unit_range(f));
  return v;
}

template <class C>
auto HonestAlgebra<C>::call(Function f, const Value& a) -> Value {
  if (a.has(Value::kUnknown)) return a;
  if (!(a.flags & kClasses)) return settle(call_finite(f, a));
  Value v;
  v.flags = 0;
  v.truth = TruthClass::nan;
  if (a.has(Value::kFinite)) v = call_finite(f, a);
  if (a.has(Value::kPosInf)) v = unite(v, special(evaluate(f, HUGE_VAL)), a.truth == TruthClass::pos_inf);
  if (a.has(Value::kNegInf)) v = unite(v, special(evaluate(f, -HUGE_VAL)), a.truth == TruthClass::neg_inf);
  if (a.has(Value::kNan)) v = unite(v, special(NAN), a.truth == TruthClass::nan);
  return settle(v);
}

#define ASSAY_FUNCTIONS(C)                                                     \
  template auto HonestAlgebra<C>::divide(const Value&, const Value&) -> Value; \
  template auto HonestAlgebra<C>::call(Function, const Value&) -> Value;
ASSAY_FUNCTIONS(Filter<double>)
ASSAY_FUNCTIONS(Filter<long double>)
ASSAY_FUNCTIONS(Ball)
#undef ASSAY_FUNCTIONS

}  // namespace assay
