#pragma once

// fmax and fmin as CUDA defines them: a NaN loses to a number, and +0 is above -0. The compiler's own are
// free to pick either zero, so the standard library's use these (plug-ins are compiled with
// -fno-builtin-fmaxf and its kin). Included before any standard header.

template <class T, class Bits>
inline constexpr T assay_fmax(T a, T b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return __builtin_bit_cast(T, __builtin_bit_cast(Bits, a) & __builtin_bit_cast(Bits, b));
  return a > b ? a : b;
}
template <class T, class Bits>
inline constexpr T assay_fmin(T a, T b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return __builtin_bit_cast(T, __builtin_bit_cast(Bits, a) | __builtin_bit_cast(Bits, b));
  return a < b ? a : b;
}
inline constexpr float assay_fmaxf(float a, float b) {
  return assay_fmax<float, unsigned>(a, b);
}
inline constexpr float assay_fminf(float a, float b) {
  return assay_fmin<float, unsigned>(a, b);
}
inline constexpr double assay_fmaxd(double a, double b) {
  return assay_fmax<double, unsigned long>(a, b);
}
inline constexpr double assay_fmind(double a, double b) {
  return assay_fmin<double, unsigned long>(a, b);
}

#define __builtin_fmaxf assay_fmaxf
#define __builtin_fminf assay_fminf
#define __builtin_fmax assay_fmaxd
#define __builtin_fmin assay_fmind
