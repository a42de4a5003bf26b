#pragma once

// Conversions of the 16-bit formats, each with one rounding, and fma without a second one.

#include "integers.h"

namespace assay::cpu {

// A double that rounds to any format of at most 26 bits as the exact sum p + c would: to nearest, with the
// last bit made odd where that was inexact.
inline double sum_to_odd(double p, double c) {
#pragma clang fp contract(off) reassociate(off)
  const double sum = p + c;
  const double back = sum - p;
  const double error = (p - (sum - back)) + (c - back);
  unsigned long bits = __builtin_bit_cast(unsigned long, sum);
  if (error != 0.0 && error == error && !(bits & 1) && __builtin_isfinite(sum)) {
    bits += (error > 0.0) == (sum > 0.0) ? 1 : -1;
    return __builtin_bit_cast(double, bits);
  }
  return sum;
}

// The float toward zero of x, its last bit set where x is not that float.
inline float float_to_odd(double x) {
  const float nearest = static_cast<float>(x);
  if (static_cast<double>(nearest) == x || x != x) return nearest;
  unsigned bits = __builtin_bit_cast(unsigned, nearest);
  if (__builtin_fabs(static_cast<double>(nearest)) > __builtin_fabs(x)) --bits;
  return __builtin_bit_cast(float, bits | 1);
}

inline float half_to_float(unsigned short bits) {
  return static_cast<float>(__builtin_bit_cast(_Float16, bits));
}
inline unsigned short to_half(float x) {
  return x != x ? 0x7fff : __builtin_bit_cast(unsigned short, static_cast<_Float16>(x));
}
// Through the float that keeps what rounding needs to know: no library call for a double.
inline unsigned short to_half(double x) {
  return to_half(float_to_odd(x));
}

inline float bfloat16_to_float(unsigned short bits) {
  return __builtin_bit_cast(float, static_cast<unsigned>(bits) << 16);
}
inline unsigned short to_bfloat16(float x) {
  const unsigned bits = __builtin_bit_cast(unsigned, x);
  return x != x ? 0x7fff : static_cast<unsigned short>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
inline unsigned short to_bfloat16(double x) {
  return to_bfloat16(float_to_odd(x));
}

}  // namespace assay::cpu
