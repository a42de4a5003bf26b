#pragma once

// The functions in floating point, and how far one moves when its argument does: f(c + d) - f(c), without the
// cancellation of computing it so. What `deviation` returns may be off by 2^-40 of itself: inflate it before
// it serves as a bound.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "oracle/algebra.h"

namespace assay {

// f(x) as the C library has it.
template <class T>
T evaluate(Function f, T x) {
  switch (f) {
    case Function::exp:
      return std::exp(x);
    case Function::log:
      return std::log(x);
    case Function::sqrt:
      return std::sqrt(x);
    case Function::rsqrt:
      return 1 / std::sqrt(x);
    case Function::tanh:
      return std::tanh(x);
    case Function::erf:
      return std::erf(x);
    case Function::abs:
      return std::fabs(x);
    case Function::sin:
      return std::sin(x);
    case Function::cos:
      return std::cos(x);
    case Function::expm1:
      return std::expm1(x);
    case Function::log1p:
      return std::log1p(x);
    case Function::floor:
      return std::floor(x);
    case Function::sign:
      return x > 0 ? T(1) : x < 0 ? T(-1) : x;  // a zero and a NaN as they are
  }
  return 0;
}

// A bound that was computed with a few roundings, made a bound again.
constexpr double kInflate = 1 + 0x1p-40;
template <class T>
T outward_up(T x) {
  return x + std::fabs(x) * T(0x1p-50);
}
template <class T>
T outward_down(T x) {
  return x - std::fabs(x) * T(0x1p-50);
}
template <>
inline long double outward_up(long double x) {
  return x + std::fabs(x) * 0x1p-62L;
}
template <>
inline long double outward_down(long double x) {
  return x - std::fabs(x) * 0x1p-62L;
}

// expm1 and log1p; of small arguments by their series, which is off by less than 2^-42 of it there.
template <class T>
T small_expm1(T d) {
  return std::fabs(d) < T(0x1p-14) ? d * (1 + d * (T(0.5) + d * T(1.0 / 6))) : std::expm1(d);
}
template <class T>
T small_log1p(T d) {
  return std::fabs(d) < T(0x1p-14) ? d * (1 - d * (T(0.5) - d * T(1.0 / 3))) : std::log1p(d);
}

// Monotone functions on their domain, with c and c + d inside it; sin and cos: |d|, which bounds them.
// f_of_c is f(c).
template <class T>
T deviation(Function f, T c, T f_of_c, T d) {
  if (d == 0) return 0;
  switch (f) {
    case Function::exp:
    case Function::expm1: {
      const T at = f == Function::exp ? f_of_c : f_of_c + 1;
      if (d <= 1) return at * small_expm1(d);
      // Far away, and upwards of the sum's own rounding.
      const T end = c + d + (std::fabs(c) + std::fabs(d)) * std::numeric_limits<T>::epsilon();
      return std::exp(end) - at;
    }
    case Function::log:
      return small_log1p(d / c);
    case Function::log1p:
      return small_log1p(d / (1 + c));
    case Function::sqrt:
      return d / (std::sqrt(c + d) + f_of_c);
    case Function::rsqrt: {
      const T x = std::sqrt(c), y = std::sqrt(c + d);
      return -d / (x * y * (x + y));
    }
    case Function::tanh: {
      const T t = std::tanh(c + d);
      return std::tanh(d) * std::max(1 - f_of_c * t, std::numeric_limits<T>::epsilon());
    }
    case Function::erf: {
      // The largest slope on the way.
      const T near = (c < 0) != (c + d < 0) ? T(0) : std::min(std::fabs(c), std::fabs(c + d));
      return d * std::exp(-near * near) * T(2 * std::numbers::inv_sqrtpi);
    }
    case Function::sin:
    case Function::cos:
      return std::fabs(d);
    default:
      return d;
  }
}

}  // namespace assay
