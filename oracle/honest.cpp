#include "oracle/honest.h"
#include "oracle/honest_parts.h"

#include <algorithm>
#include <cmath>

namespace assay {

using namespace honest;

template <class C>
auto HonestAlgebra<C>::limits_of(DType dtype) -> Limits {
  const Format f = format_of(dtype);
  return {
      f, static_cast<Scalar>(f.unit_roundoff()), static_cast<Scalar>(f.least_subnormal()),
      static_cast<Scalar>(f.least_normal()),
      // The largest value and half its ulp; beyond f64's range in f64 itself.
      static_cast<Scalar>(f.largest()) + static_cast<Scalar>(std::ldexp(1.0, f.max_exponent - f.precision))};
}

template <class C>
HonestAlgebra<C>::HonestAlgebra(const Arithmetic& arithmetic, bool any_tie)
    : arithmetic_(arithmetic), work_(limits_of(arithmetic.work)), any_tie_(any_tie) {}

template <class C>
auto HonestAlgebra<C>::special(double x) -> Value {
  Value v;
  v.centre = C::exact(std::isfinite(x) ? x : 0.0);
  if (std::isnan(x)) {
    v.flags = Value::kNan;
    v.truth = TruthClass::nan;
  } else if (std::isinf(x)) {
    v.flags = x > 0 ? Value::kPosInf : Value::kNegInf;
    v.truth = x > 0 ? TruthClass::pos_inf : TruthClass::neg_inf;
  } else if (x == 0) {
    v.flags = Value::kFinite | (std::signbit(x) ? Value::kNegZero : Value::kPosZero);
  }
  return v;
}

template <class C>
auto HonestAlgebra<C>::unknown() -> Value {
  Value v;
  v.flags = 0xff | Value::kUnknown;
  clear(v, Value::kNonNegative | Value::kNonPositive);
  return v;
}

// Every operation ends here: what the centre's type cannot hold is unknown; flushing is allowed where
// declared.
template <class C>
auto HonestAlgebra<C>::settle(Value v) const -> Value {
  if (!v.has(Value::kFinite)) return v;
  constexpr Scalar kMost = std::numeric_limits<Scalar>::max();
  if constexpr (std::is_same_v<C, Ball>) {  // nobody can know better: as wide as can be told
    constexpr Scalar kWidest = 0x1p16200L;
    if (!(v.below <= kWidest)) v.below = kWidest;
    if (!(v.above <= kWidest)) v.above = kWidest;
  }
  if (!v.centre.known() || !(v.below <= kMost) || !(v.above <= kMost)) return unknown();
  if (arithmetic_.may_flush) flush(v, work_.normal);
  return v;
}

// Rule 6: an interval that touches the subnormals may be 0, of their sign.
template <class C>
void HonestAlgebra<C>::flush(Value& v, Scalar least_normal) {
  if (!v.has(Value::kFinite)) return;
  const Scalar low = v.low(), high = v.high();
  if (low >= least_normal || high <= -least_normal || (low == 0 && high == 0)) return;
  set(v, Value::kPosZero, high > 0);
  set(v, Value::kNegZero, low < 0);
  if (low > 0) {
    v.below = std::max(v.below, v.centre.upper());
    set(v, Value::kNonNegative);
  } else if (high < 0) {
    v.above = std::max(v.above, -v.centre.lower());
    set(v, Value::kNonPositive);
  }
}

// Rule 3 with `roundings` units of roundoff at each end, and rules 4 and 5. A rounding never changes a sign.
template <class C>
void HonestAlgebra<C>::widen(Value& v, Scalar roundings, bool may_underflow) const {
  if (v.is_exact() && v.centre.approximate() == 0) return;
  const Scalar low = v.low(), high = v.high();
  Scalar up = roundings * work_.unit * std::fabs(high);
  Scalar down = roundings * work_.unit * std::fabs(low);
  if (may_underflow) {
    const Scalar floor = roundings * work_.least / 2;
    if (std::fabs(high) < work_.normal) up = std::max(up, floor);
    if (std::fabs(low) < work_.normal) down = std::max(down, floor);
  }
  v.above = outward_up(v.above + up);
  v.below = outward_up(v.below + down);
  if (low >= 0) set(v, Value::kNonNegative);
  if (high <= 0) set(v, Value::kNonPositive);
  if (may_underflow) {
    set(v, Value::kPosZero, high > 0 && low - down <= 0);
    set(v, Value::kNegZero, low < 0 && high + up >= 0);
  }
  set(v, Value::kPosInf, high + up - work_.unit * std::fabs(high) >= work_.overflow);
  set(v, Value::kNegInf, low - down + work_.unit * std::fabs(low) <= -work_.overflow);
}

// One rounding: nothing happens to a point that is a value of the work type.
template <class C>
void HonestAlgebra<C>::round_once(Value& v, bool may_underflow) const {
  if (v.is_exact()) {
    const Scalar x = v.centre.approximate();
    if (x == 0) return;
    const int top = v.centre.highest_bit();
    if (top <= work_.format.max_exponent &&
        v.centre.lowest_bit() >= std::max(top - work_.format.precision + 1, work_.format.min_exponent))
      return;
  }
  widen(v, 1, may_underflow);
}

// The usual operand: a number that is known exactly, and no zero. The usual result: far from the limits of
// the work type, whatever rounding does. Both only save time.
template <class C>
bool HonestAlgebra<C>::is_usual(const Value& a) {
  return a.flags == Value::kFinite && a.is_exact();
}

template <class C>
bool HonestAlgebra<C>::round_usual(Value& v) const {
  const Scalar size = std::max(std::fabs(v.centre.lower()), std::fabs(v.centre.upper()));
  if (!(size >= 4 * work_.normal && size <= work_.overflow / 4)) return false;
  if (!v.centre.is_exact() || v.centre.highest_bit() - v.centre.lowest_bit() >= work_.format.precision)
    v.above = v.below = outward_up(work_.unit * size);
  return true;
}

// Either of two values; each carries its classes. Rule 14's union.
template <class C>
auto HonestAlgebra<C>::unite(const Value& a, const Value& b, bool truth_is_b) const -> Value {
  if (truth_is_b) return unite(b, a, false);
  if (a.has(Value::kUnknown) || b.has(Value::kUnknown)) return unknown();
  if (!b.has(Value::kFinite)) {
    Value v = a;
    v.flags |= b.flags & kClasses;
    return v;
  }
  Value v = a;
  v.flags |= b.flags;
  if (!a.has(Value::kFinite)) {
    v.centre = b.centre;
    v.below = b.below;
    v.above = b.above;
    return v;
  }
  clear(v, Value::kNonNegative | Value::kNonPositive | Value::kUnitRange);
  const Scalar low = std::min(a.low(), b.low()), high = std::max(a.high(), b.high());
  set(v, Value::kNonNegative, low >= 0);
  set(v, Value::kNonPositive, high <= 0);
  set(v, Value::kUnitRange, a.flags & b.flags & Value::kUnitRange);
  if (a.is_exact() && b.is_exact() && C::order(a.centre, b.centre) == 0) return v;
  if (b.high() > a.high()) v.above = std::max(a.above, outward_up(b.high() - a.centre.lower()));
  if (b.low() < a.low()) v.below = std::max(a.below, outward_up(a.centre.upper() - b.low()));
  return v;
}

template <class C>
auto HonestAlgebra<C>::input(std::size_t, std::int64_t, DType dtype, std::uint64_t bits) -> Value {
  if (!is_float(dtype)) return integer(decode_integer(dtype, bits));
  const double x = decode(dtype, bits);
  if (!std::isfinite(x) || x == 0) return special(x);
  Value v;
  v.centre = C::exact(x);
  if (dtype == DType::f64 && arithmetic_.work != DType::f64) round_once(v, true);
  if (arithmetic_.may_flush) flush(v, work_.normal);
  return v;
}

template <class C>
auto HonestAlgebra<C>::constant(const Constant& c) -> Value {
  Value v;
  switch (c.kind) {
    case Constant::Kind::nan:
      return special(NAN);
    case Constant::Kind::infinity:
      return special(c.numerator < 0 ? -HUGE_VAL : HUGE_VAL);
    case Constant::Kind::real:
      if (!std::isfinite(c.value) || c.value == 0) return special(c.value);
      v.centre = C::exact(c.value);
      break;
    case Constant::Kind::rational:
      if (c.numerator == 0) return special(0);
      [[fallthrough]];
    case Constant::Kind::pi:
      v.centre = C::constant(c);
      break;
  }
  round_once(v, true);
  return settle(v);
}

template <class C>
auto HonestAlgebra<C>::integer(std::int64_t i) -> Value {
  if (i == 0) return special(0);
  Value v;
  v.centre = C::integer(i);
  round_once(v, false);
  return v;
}

template <class C>
auto HonestAlgebra<C>::negate(const Value& a) -> Value {
  Value v = a;
  v.centre = a.centre.negated();
  std::swap(v.below, v.above);
  clear(v, Value::kPosInf | Value::kNegInf | Value::kPosZero | Value::kNegZero | Value::kNonNegative |
               Value::kNonPositive);
  set(v, Value::kPosInf, a.has(Value::kNegInf));
  set(v, Value::kNegInf, a.has(Value::kPosInf));
  set(v, Value::kPosZero, a.has(Value::kNegZero));
  set(v, Value::kNegZero, a.has(Value::kPosZero));
  set(v, Value::kNonNegative, a.has(Value::kNonPositive));
  set(v, Value::kNonPositive, a.has(Value::kNonNegative));
  if (a.truth == TruthClass::pos_inf) v.truth = TruthClass::neg_inf;
  if (a.truth == TruthClass::neg_inf) v.truth = TruthClass::pos_inf;
  if (a.accumulation >= 0) {
    Accumulation mirrored = accumulations_[static_cast<std::size_t>(a.accumulation)];
    std::swap(mirrored.positive, mirrored.negative);
    keep(v, mirrored, mirrored.lost);
  }
  return v;
}

// Rules 7, 11 and 12: `running` allows means by running updates, which round where a plain sum would not.
template <class C>
auto HonestAlgebra<C>::add_up(std::span<const Value> terms, Sum how, bool running, std::uint32_t sums)
    -> Value {
  const std::size_t n = terms.size();
  if (n == 0) return special(0);
  if (n == 1 && how == Sum::terms) return terms[0];
  if (n == 2 && how == Sum::terms && sums == 0 && is_usual(terms[0]) && is_usual(terms[1])) {
    Value v;
    v.centre = C::sum(2, [&](std::size_t i) -> const C& { return terms[i].centre; }, true);
    if (round_usual(v)) return v;
  }

  Totals totals;
  for (const Value& t : terms) totals.add(t);
  const auto centre = [&] {
    return C::sum(n, [&](std::size_t i) -> const C& { return terms[i].centre; }, how == Sum::terms);
  };
  if (sums == 0) return add_up(totals, how, running, nullptr, centre);
  const Accumulation joined = accumulated(terms, sums);
  return add_up(totals, how, running, &joined, centre);
}

template <class C>
void HonestAlgebra<C>::Totals::add(const Value& t) {
  ++n;
  any |= t.flags;
  all &= t.flags;
  if (t.truth != TruthClass::finite) classes += class_of(t);
  if (!t.has(Value::kFinite)) {
    surely_nan |= (t.flags & kClasses) == Value::kNan;
    return;
  }
  const Scalar least = t.low(), greatest = t.high();
  above += t.above;
  below += t.below;
  low += least;
  high += greatest;
  size += std::max(std::fabs(least), std::fabs(greatest));
  positive += std::max(greatest, Scalar(0));
  negative += std::max(-least, Scalar(0));
  const bool is_exact = t.is_exact();
  const bool is_zero = is_exact && least == 0;
  nonzero += !is_zero;
  exact &= is_exact;
  if (is_exact && !is_zero && exact) quantum = std::min(quantum, t.centre.lowest_bit());
  all_nonnegative &= least >= 0;
  all_nonpositive &= greatest <= 0;
  const bool negative_zero = least <= 0 && greatest >= 0 && t.has(Value::kNegZero);
  all_may_be_negative_zero &= negative_zero;
  vanishes_below |= negative_zero && least < 0;
  all_surely_negative_zero &= is_zero && negative_zero && !t.has(Value::kPosZero);
}

// `joined`: what one accumulator may run through, where terms are sums.
template <class C>
template <class Centre>
auto HonestAlgebra<C>::add_up(const Totals& t, Sum how, bool running, const Accumulation* joined,
                              Centre&& centre) -> Value {
  if (t.any & Value::kUnknown) return unknown();
  const Accumulation whole =
      joined != nullptr ? *joined : Accumulation{t.nonzero,  t.size, t.positive,
                                                 t.negative, 0,      t.exact ? t.quantum : kInexact};
  Value v;
  v.flags = static_cast<std::uint16_t>(t.any & kClasses);
  v.truth = truth_class(t.classes);
  if (t.all & Value::kFinite) {
    v.flags |= Value::kFinite;
    v.centre = centre();
    v.above = t.above == 0 ? 0 : t.above * Scalar(kInflate);
    v.below = t.below == 0 ? 0 : t.below * Scalar(kInflate);
    const Scalar inherited = v.above;
    // The sum of two numbers has the right sign even after its rounding.
    const bool two = t.n == 2 && joined == nullptr;
    set(v, Value::kNonNegative, (t.all_nonnegative && whole.negative == 0) || (two && t.low >= 0));
    set(v, Value::kNonPositive, (t.all_nonpositive && whole.positive == 0) || (two && t.high <= 0));
    std::int64_t roundings = (running ? static_cast<std::int64_t>(t.n) : t.nonzero) - 1;
    if (arithmetic_.depth) roundings = std::min(roundings, *arithmetic_.depth);
    if (roundings == 1 && !running) {
      round_once(v, false);
    } else if (roundings >= 1) {
      const bool all_fit = !running && fits({t.nonzero, t.size, 0, 0, 0, t.exact ? t.quantum : kInexact});
      const Scalar lost = gamma(static_cast<Scalar>(roundings), work_.unit) * t.size * Scalar(kInflate);
      if (!all_fit) {
        v.above += lost;
        v.below += lost;
      }
    }
    const Scalar apart = v.above - inherited;
    const Scalar own = joined == nullptr ? apart : lose_in_join(whole, t.n, apart, v);
    if (!running && (how == Sum::reduction || joined != nullptr)) keep(v, whole, whole.lost + own);
    set(v, Value::kPosInf, whole.positive >= work_.overflow);
    set(v, Value::kNegInf, whole.negative >= work_.overflow);
    if (v.low() <= 0 && v.high() >= 0) {
      set(v, Value::kPosZero, how == Sum::reduction || !t.all_surely_negative_zero);
      // A fused product below 0 that vanishes leaves -0, whatever the sum was: fma(-tiny, tiny, +0).
      set(v, Value::kNegZero, t.all_may_be_negative_zero || t.vanishes_below);
    }
  } else {
    set(v, Value::kPosInf, whole.positive >= work_.overflow);
    set(v, Value::kNegInf, whole.negative >= work_.overflow);
    if (t.surely_nan) {  // decides
      v.flags = Value::kNan;
      return v;
    }
  }
  if (v.has(Value::kPosInf) && v.has(Value::kNegInf)) set(v, Value::kNan);
  return settle(v);
}

template <class C>
auto HonestAlgebra<C>::sum(std::span<const Value> terms, Sum how) -> Value {
  return add_up(terms, how, false);
}

template <class C>
auto HonestAlgebra<C>::join(std::span<const Value> terms, Sum how, std::uint32_t sums) -> Value {
  return add_up(terms, how, false, sums);
}

// What an accumulator meets that runs through all terms and those of the sums among them.
template <class C>
auto HonestAlgebra<C>::accumulated(std::span<const Value> terms, std::uint32_t sums) const -> Accumulation {
  Accumulation whole;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Value& t = terms[i];
    if (!t.has(Value::kFinite)) continue;
    const bool is_sum = sums == UINT32_MAX || (i < 32 && (sums >> i & 1) != 0);
    Accumulation a;
    if (is_sum && t.accumulation >= 0) {
      a = accumulations_[static_cast<std::size_t>(t.accumulation)];
    } else {
      a.size = largest(t);
      a.positive = std::max(t.high(), Scalar(0));
      a.negative = std::max(-t.low(), Scalar(0));
      const bool is_exact = t.is_exact();
      a.terms = !(is_exact && a.size == 0);
      if (a.terms != 0) a.quantum = is_exact ? t.centre.lowest_bit() : kInexact;
    }
    whole.terms += a.terms;
    whole.size += a.size;
    whole.positive += a.positive;
    whole.negative += a.negative;
    whole.lost += a.lost;
    whole.quantum = std::min(whole.quantum, a.quantum);
  }
  return whole;
}

// Rule 7 for a sum that may be taken term by term; `apart` is what it loses if its sums are taken before it.
// Returns what it loses beyond what they were charged.
template <class C>
auto HonestAlgebra<C>::lose_in_join(const Accumulation& whole, std::size_t n, Scalar apart, Value& v) const
    -> Scalar {
  std::int64_t roundings = whole.terms - 1;
  if (arithmetic_.depth) roundings = std::min(roundings, *arithmetic_.depth + static_cast<std::int64_t>(n));
  if (roundings < 2 || fits(whole)) return apart;
  const Scalar together = gamma(static_cast<Scalar>(roundings), work_.unit) * whole.size * Scalar(kInflate);
  const Scalar more = together - whole.lost - apart;
  if (!(more > 0)) return apart;
  v.above = outward_up(v.above + more);
  v.below = outward_up(v.below + more);
  return apart + more;
}

// Whether all partial sums, in any order, are values of the work type.
template <class C>
bool HonestAlgebra<C>::fits(const Accumulation& a) const {
  return a.quantum != kInexact && a.size < work_.overflow &&
         a.size <= std::ldexp(Scalar(1),
                              std::min(a.quantum, 16383 - work_.format.precision) + work_.format.precision);
}

template <class C>
void HonestAlgebra<C>::keep(Value& v, Accumulation a, Scalar lost) {
  a.lost = lost;
  v.accumulation = static_cast<std::int32_t>(accumulations_.size());
  accumulations_.push_back(a);
}

// A factor may be multiplied into every term of a sum.
template <class C>
void HonestAlgebra<C>::keep_scaled(Value& v, std::span<const Value> factors) {
  const Value* sum = nullptr;
  Scalar scale = 1, most = 1;
  int shift = 0;
  std::int64_t roundings = 0;
  bool exact = true;
  Signs sign{true, false};
  for (const Value& f : factors) {
    if (f.accumulation >= 0) {
      if (sum != nullptr) return;
      sum = &f;
      continue;
    }
    if (!f.has(Value::kFinite)) return;
    scale *= std::fabs(f.centre.approximate());
    most *= largest(f);
    sign = sign * all_signs(f);
    exact &= f.is_exact() && f.centre.approximate() != 0;
    if (exact) shift += f.centre.lowest_bit();
    roundings += !(exact && f.centre.lowest_bit() == f.centre.highest_bit());
  }
  if (sum == nullptr || !v.has(Value::kFinite)) return;
  Accumulation a = accumulations_[static_cast<std::size_t>(sum->accumulation)];
  const Scalar up = a.positive, down = a.negative;
  const bool positive = sign.positive || !sign.negative, negative = sign.negative;
  a.positive = most * std::max(positive ? up : Scalar(0), negative ? down : Scalar(0));
  a.negative = most * std::max(positive ? down : Scalar(0), negative ? up : Scalar(0));
  a.size *= most;
  a.terms += roundings;
  a.quantum = !exact || a.quantum == kInexact                ? kInexact
              : a.quantum == std::numeric_limits<int>::max() ? a.quantum
                                                             : a.quantum + shift;
  keep(v, a, a.lost * scale);
}

template <class C>
auto HonestAlgebra<C>::mean(std::span<const Value> terms) -> Value {
  if (terms.empty()) return special(NAN);
  if (terms.size() == 1) return add_up(terms, Sum::reduction, false);
  Value total = add_up(terms, Sum::reduction, true);
  if (total.has(Value::kUnknown)) return total;
  Scalar low = std::numeric_limits<Scalar>::infinity(), high = -low;
  for (const Value& t : terms) {
    if (!t.has(Value::kFinite)) continue;
    low = std::min(low, t.low());
    high = std::max(high, t.high());
  }
  // A running mean meets Inf - Inf where a term, a sum or a difference is infinite.
  if ((total.flags & (Value::kPosInf | Value::kNegInf)) || high - low >= work_.overflow)
    total.flags |= kClasses;
  Value n;
  n.centre = C::integer(static_cast<std::int64_t>(terms.size()));
  Value v = divide(total, n);
  if (!v.has(Value::kFinite) || (v.is_exact() && v.centre.approximate() == 0)) return v;
  // Every update may underflow, whatever the sum's sign.
  const Scalar lost = static_cast<Scalar>(terms.size()) * work_.least / 2;
  v.above += lost;
  v.below += lost;
  clear(v, Value::kNonNegative | Value::kNonPositive);
  v.flags |= total.flags & (Value::kNonNegative | Value::kNonPositive);
  set(v, Value::kPosZero, v.low() <= 0 && v.high() >= 0);
  return v;
}

template <class C>
auto HonestAlgebra<C>::read_as_tf32(const Value& a) const -> Value {
  Value v = a;
  if (!v.has(Value::kFinite) || v.is_exact()) {
    if (!v.has(Value::kFinite) || v.centre.approximate() == 0) return v;
    if (v.centre.highest_bit() - v.centre.lowest_bit() <= 10) return v;
  }
  // The hardware rounds to 11 bits, or cuts to them.
  const Scalar lost = largest(v) * Scalar(0x1p-10);
  if (v.low() >= 0) set(v, Value::kNonNegative);
  if (v.high() <= 0) set(v, Value::kNonPositive);
  v.above += lost;
  v.below += lost;
  return v;
}

// The interval of a product, without any rounding: (a + s)(b + t) - ab = a t + b s + s t at the four corners.
template <class C>
auto HonestAlgebra<C>::multiply(const Value& a, const Value& b) const -> Value {
  Value v;
  v.flags = 0;
  if (a.has(Value::kUnknown) || b.has(Value::kUnknown)) return unknown();
  const unsigned any = a.flags | b.flags;
  if (any & kClasses) {
    v.truth = truth_class(class_of(a) * class_of(b));
    const Signs sa = all_signs(a), sb = all_signs(b);
    set(v, Value::kNan, any & Value::kNan);
    constexpr unsigned kInf = Value::kPosInf | Value::kNegInf;
    const Signs ia{a.has(Value::kPosInf), a.has(Value::kNegInf)},
        ib{b.has(Value::kPosInf), b.has(Value::kNegInf)};
    const Signs with_inf{(ia * sb).positive || (sa * ib).positive, (ia * sb).negative || (sa * ib).negative};
    set(v, Value::kPosInf, with_inf.positive);
    set(v, Value::kNegInf, with_inf.negative);
    if (((a.flags & kInf) && may_be_zero(b)) || ((b.flags & kInf) && may_be_zero(a))) set(v, Value::kNan);
  }
  if (!(a.flags & b.flags & Value::kFinite)) return v;
  set(v, Value::kFinite);
  v.centre = C::multiply(a.centre, b.centre);
  if (!a.is_point() || !b.is_point()) {
    const Scalar x = a.centre.approximate(), y = b.centre.approximate();
    Scalar up = 0, down = 0;
    for (const Scalar p : {a.above, -a.below})
      for (const Scalar q : {b.above, -b.below}) {
        const Scalar move = x * q + y * p + p * q;
        up = std::max(up, move);
        down = std::max(down, -move);
      }
    // The corners' own rounding, and the centres' errors.
    const Scalar p = std::max(a.above, a.below), q = std::max(b.above, b.below);
    const Scalar ea = std::max(a.centre.upper() - x, x - a.centre.lower());
    const Scalar eb = std::max(b.centre.upper() - y, y - b.centre.lower());
    const Scalar slack = (std::fabs(x) * q + std::fabs(y) * p + p * q) * Scalar(0x1p-48) + ea * q + eb * p;
    v.above = outward_up(up + slack);
    v.below = outward_up(down + slack);
  }
  const Scalar al = a.low(), ah = a.high(), bl = b.low(), bh = b.high();
  set(v, Value::kNonNegative, !(al < 0 && bh > 0) && !(ah > 0 && bl < 0));
  set(v, Value::kNonPositive, !(ah > 0 && bh > 0) && !(al < 0 && bl < 0));
  if ((al <= 0 && ah >= 0) || (bl <= 0 && bh >= 0)) {
    const Signs finite = signs(a) * signs(b);
    set(v, Value::kPosZero, finite.positive);
    set(v, Value::kNegZero, finite.negative);
  }
  return v;
}

// Rule 8.
template <class C>
auto HonestAlgebra<C>::product(std::span<const Value> factors) -> Value {
  Value v = multiply_out(factors);
  if (factors.size() > 1 &&
      std::any_of(factors.begin(), factors.end(), [](const Value& f) { return f.accumulation >= 0; })) {
    v.accumulation = -1;
    keep_scaled(v, factors);
  }
  return v;
}

template <class C>
auto HonestAlgebra<C>::multiply_out(std::span<const Value> factors) -> Value {
  const std::size_t n = factors.size();
  if (n == 0) return integer(1);
  if (n == 1) return factors[0];
  if (n == 2 && !arithmetic_.tf32 && is_usual(factors[0]) && is_usual(factors[1])) {
    Value v;
    v.centre = C::multiply(factors[0].centre, factors[1].centre);
    if (round_usual(v)) return v;
  }
  Factors product;
  for (const Value& f : factors) add(product, f);
  return finish(std::move(product));
}

template <class C>
void HonestAlgebra<C>::add(Factors& p, const Value& f) const {
  if (++p.n == 1) p.first = f;
  const Value read = arithmetic_.tf32 ? read_as_tf32(f) : f;
  p.product = p.n == 1 ? read : multiply(p.product, read);
  const Signs sign = Signs{p.positive, p.negative} * all_signs(f);
  p.positive = sign.positive;
  p.negative = sign.negative;
  p.infinite |= f.has(Value::kPosInf) || f.has(Value::kNegInf);
  if (!f.has(Value::kFinite)) return;
  p.most *= std::max(Scalar(1), largest(f));
  p.least *= std::min(Scalar(1), smallest(f));
  p.zero |= may_be_zero(f);
  const bool is_zero = f.is_exact() && f.centre.approximate() == 0;
  p.exact &= f.is_exact();
  if (p.exact && !is_zero) {
    const int width = f.centre.highest_bit() - f.centre.lowest_bit();
    if (width > 0) p.bits += width + 1, ++p.wide;
  }
}

template <class C>
auto HonestAlgebra<C>::finish(Factors p) const -> Value {
  if (p.n == 1) return p.first;
  Value v = std::move(p.product);
  if (v.has(Value::kUnknown) || (p.n == 2 && !v.has(Value::kFinite))) return v;
  if (p.n == 2) {
    round_once(v, true);
    return settle(v);
  }
  if (p.most >= work_.overflow) {
    set(v, Value::kPosInf, p.positive);
    set(v, Value::kNegInf, p.negative);
    // Of four factors two may overflow and the other two vanish, as the halves of a tree do.
    set(v, Value::kNan,
        p.zero || (p.n >= 4 && p.least < (arithmetic_.may_flush ? work_.normal : work_.least)));
  }
  const bool no_underflow = p.least >= work_.normal;
  if (p.infinite && !no_underflow) set(v, Value::kNan);  // of some factors the product may be 0
  if (!v.has(Value::kFinite)) return v;
  if (v.is_exact() && v.centre.approximate() == 0) return settle(v);
  if (!(p.exact && (p.wide <= 1 || p.bits <= work_.format.precision) && no_underflow &&
        p.most < work_.overflow)) {
    const Scalar roundings = static_cast<Scalar>(p.n - 1);
    widen(v, gamma(roundings, work_.unit) / work_.unit * Scalar(kInflate), false);
    if (!no_underflow) {
      const Scalar lost = roundings * work_.least / 2 * p.most * Scalar(kInflate);
      set(v, Value::kPosZero, v.high() > 0 && v.low() - lost <= 0);
      set(v, Value::kNegZero, v.low() < 0 && v.high() + lost >= 0);
      v.above += lost;
      v.below += lost;
    }
  }
  return settle(v);
}

template <class C>
bool HonestAlgebra<C>::extend(Running& running, const Value& term) const {
  if (running.product) {
    add(running.factors, term);
    return true;
  }
  running.totals.add(term);
  running.centre.add(term.centre);
  return true;
}

template <class C>
auto HonestAlgebra<C>::value(const Running& running) -> Value {
  if (running.product) return running.factors.n == 0 ? integer(1) : finish(running.factors);
  if (running.totals.n == 0) return special(0);
  return add_up(running.totals, Sum::reduction, false, nullptr, [&] { return running.centre.total(); });
}

// Rule 9: n equal factors; an even power is not negative.
template <class C>
auto HonestAlgebra<C>::power(const Value& a, int n) -> Value {
  if (n == 1) return a;
  if (a.has(Value::kUnknown)) return a;
  const Value x = arithmetic_.tf32 ? read_as_tf32(a) : a;
  const bool even = n % 2 == 0;
  Value v;
  v.flags = static_cast<std::uint16_t>(x.flags & (Value::kFinite | Value::kNan));
  v.truth = truth_class(std::pow(class_of(x), n));
  set(v, Value::kPosInf, x.has(Value::kPosInf) || (even && x.has(Value::kNegInf)));
  set(v, Value::kNegInf, !even && x.has(Value::kNegInf));
  if (!x.has(Value::kFinite)) return v;
  v.centre = C::power(x.centre, n);
  const Scalar c = x.centre.approximate(), low = x.low(), high = x.high();
  if (!x.is_point()) {
    // (c + d)^n - c^n = d (sum of c^i (c + d)^(n-1-i)), at both ends.
    const Scalar error = std::max(x.centre.upper() - c, c - x.centre.lower());
    const auto move = [&](Scalar d) {
      Scalar slope = 0, size = 0;
      for (int i = 0; i < n; ++i) {
        slope = slope * (c + d) + std::pow(c, Scalar(i));
        size = size * (std::fabs(c + d) + error) + std::pow(std::fabs(c) + error, Scalar(i));
      }
      const Scalar slack =
          std::fabs(d) * size * Scalar(0x1p-46) + (error == 0 ? Scalar(0) : error * size * 2);
      v.above = std::max(v.above, d * slope + slack);
      v.below = std::max(v.below, slack - d * slope);
    };
    move(x.above);
    move(-x.below);
    if (even && low <= 0 && high >= 0) v.below = std::max(v.below, v.centre.upper());
  }
  const bool zero = low <= 0 && high >= 0;
  set(v, Value::kNonNegative, even || low >= 0);
  set(v, Value::kNonPositive, !even && high <= 0);
  set(v, Value::kPosZero, zero && (even || x.has(Value::kPosZero)));
  set(v, Value::kNegZero, zero && !even && x.has(Value::kNegZero));
  if (n == 2) {
    round_once(v, true);
    return settle(v);
  }
  if (v.is_exact() && c == 0) return settle(v);
  const bool narrow = v.is_exact() && x.centre.highest_bit() == x.centre.lowest_bit();
  if (!narrow)
    widen(v, gamma(Scalar(n - 1), work_.unit) / work_.unit * Scalar(kInflate), true);
  else
    round_once(v, true);
  return settle(v);
}

template class HonestAlgebra<Filter<double>>;
template class HonestAlgebra<Filter<long double>>;
template class HonestAlgebra<Ball>;

}  // namespace assay
