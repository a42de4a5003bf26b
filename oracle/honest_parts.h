#pragma once

// Small questions about honest values, for oracle/honest*.cpp only.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "oracle/honest.h"

namespace assay::honest {

inline constexpr std::uint16_t kClasses = 2 | 4 | 8;  // NaN and the infinities

template <class T>
T gamma(T roundings, T unit) {
  const T x = roundings * unit;
  return x < T(0.5) ? x / (1 - x) : 2 * x;
}

// Stands for a value's truth in an operation on classes alone: NaN, an infinity, a signed zero or +-1.
template <class V>
double class_of(const V& v) {
  switch (v.truth) {
    case TruthClass::nan:
      return NAN;
    case TruthClass::pos_inf:
      return HUGE_VAL;
    case TruthClass::neg_inf:
      return -HUGE_VAL;
    case TruthClass::finite:
      break;
  }
  const double size = v.centre.approximate() == 0 && v.centre.is_exact() ? 0.0 : 1.0;
  return v.centre.is_negative() ? -size : size;
}

inline TruthClass truth_class(double x) {
  if (std::isnan(x)) return TruthClass::nan;
  if (std::isinf(x)) return x > 0 ? TruthClass::pos_inf : TruthClass::neg_inf;
  return TruthClass::finite;
}

// The signs that a value may have, zeros by their sign bit.
struct Signs {
  bool positive = false;
  bool negative = false;
  friend Signs operator*(Signs a, Signs b) {
    return {(a.positive && b.positive) || (a.negative && b.negative),
            (a.positive && b.negative) || (a.negative && b.positive)};
  }
};

template <class V>
bool may_be_zero(const V& v) {
  return v.has(V::kFinite) && v.low() <= 0 && v.high() >= 0;
}
template <class V>
Signs signs(const V& v) {
  Signs s;
  if (v.has(V::kFinite)) {
    const bool zero = may_be_zero(v);
    s.positive = v.high() > 0 || (zero && v.has(V::kPosZero));
    s.negative = v.low() < 0 || (zero && v.has(V::kNegZero));
  }
  return s;
}
template <class V>
Signs all_signs(const V& v) {
  Signs s = signs(v);
  s.positive |= v.has(V::kPosInf);
  s.negative |= v.has(V::kNegInf);
  return s;
}

template <class V>
void set(V& v, typename V::Flag f, bool on = true) {
  if (on) v.flags |= f;
}
template <class V>
void clear(V& v, unsigned f) {
  v.flags = static_cast<std::uint16_t>(v.flags & ~f);
}

// The largest and the least magnitude of the interval.
template <class V>
auto largest(const V& v) {
  return std::max(std::fabs(v.low()), std::fabs(v.high()));
}
template <class V>
auto smallest(const V& v) {
  const auto low = v.low(), high = v.high();
  using S = decltype(low + high);
  return low > 0 ? S(low) : high < 0 ? S(-high) : S(0);
}

}  // namespace assay::honest
