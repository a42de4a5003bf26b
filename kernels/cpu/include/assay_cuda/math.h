#pragma once

// CUDA's math functions beyond the C library's, and the fast intrinsics with the formulas of their
// documentation, so that they lose what they lose on a GPU (__expf overflows no earlier, but its error grows
// with |x|).

#include <math.h>

#include <cmath>

#include "extrema.h"
#include "integers.h"

extern "C" {
__attribute__((always_inline)) inline float fmaxf(float a, float b) noexcept {
  return assay_fmaxf(a, b);
}
__attribute__((always_inline)) inline float fminf(float a, float b) noexcept {
  return assay_fminf(a, b);
}
__attribute__((always_inline)) inline double fmax(double a, double b) noexcept {
  return assay_fmaxd(a, b);
}
__attribute__((always_inline)) inline double fmin(double a, double b) noexcept {
  return assay_fmind(a, b);
}

// The C library declares these names; the definitions are CUDA's.
inline float __exp2f(float x) noexcept {
  return exp2f(x);
}
inline float __expf(float x) noexcept {
#pragma clang fp contract(off)
  return exp2f(x * 1.44269504f);
}
inline float __exp10f(float x) noexcept {
#pragma clang fp contract(off)
  return exp2f(x * 3.32192809f);
}
inline float __log2f(float x) noexcept {
  return log2f(x);
}
inline float __logf(float x) noexcept {
#pragma clang fp contract(off)
  return log2f(x) * 0.69314718f;
}
inline float __log10f(float x) noexcept {
#pragma clang fp contract(off)
  return log2f(x) * 0.30103f;
}
inline float __powf(float x, float y) noexcept {
#pragma clang fp contract(off)
  return exp2f(y * log2f(x));
}
inline float __sinf(float x) noexcept {
  return sinf(x);
}
inline float __cosf(float x) noexcept {
  return cosf(x);
}
inline float __tanf(float x) noexcept {
  return sinf(x) / cosf(x);
}
inline void __sincosf(float x, float* sine, float* cosine) noexcept {
  *sine = sinf(x), *cosine = cosf(x);
}
}
inline float __tanhf(float x) {
  return tanhf(x);
}

// 0 where the divisor's reciprocal would be subnormal, as on a GPU.
inline float __fdividef(float x, float y) {
  const float size = __builtin_fabsf(y);
  if (size > 0x1p126f && size < __builtin_inff())
    return __builtin_isinf(x) ? __builtin_nanf("") : x / y * 0.0f;
  return x / y;
}
inline float fdividef(float x, float y) {
  return x / y;
}
inline float __saturatef(float x) {
  return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

inline double rsqrt(double x) {
  return 1.0 / sqrt(x);
}
inline float rsqrtf(float x) {
  return static_cast<float>(1.0 / sqrt(static_cast<double>(x)));
}
inline float rsqrt(float x) {
  return rsqrtf(x);
}
inline float __frsqrt_rn(float x) {
  return rsqrtf(x);
}
inline double rcbrt(double x) {
  return 1.0 / cbrt(x);
}
inline float rcbrtf(float x) {
  return static_cast<float>(1.0 / cbrt(static_cast<double>(x)));
}

// Reduces to |x| <= 1/4 exactly before the multiplication with pi.
inline double cospi(double x) {
  const double turns = fmod(fabs(x), 2.0);
  if (turns == 0.5 || turns == 1.5) return 0.0;
  return cos(turns * 3.14159265358979323846);
}
inline double sinpi(double x) {
  const double turns = fmod(x, 2.0);
  if (turns == 0.0 || turns == 1.0 || turns == -1.0) return copysign(0.0, x);
  return sin(turns * 3.14159265358979323846);
}
inline float cospif(float x) {
  return static_cast<float>(cospi(x));
}
inline float sinpif(float x) {
  return static_cast<float>(sinpi(x));
}
inline void sincospif(float x, float* sine, float* cosine) {
  *sine = sinpif(x), *cosine = cospif(x);
}
inline void sincospi(double x, double* sine, double* cosine) {
  *sine = sinpi(x), *cosine = cospi(x);
}

inline double normcdf(double x) {
  return 0.5 * erfc(-x * 0.70710678118654752440);
}
inline float normcdff(float x) {
  return static_cast<float>(normcdf(x));
}
// exp(x^2) erfc(x); past the range of erfc by its asymptotic series.
inline double erfcx(double x) {
  if (x < 25.0) return exp(x * x) * erfc(x);
  const double s = 1.0 / (2.0 * x * x);
  return 0.56418958354775628695 / x * (1.0 - s * (1.0 - 3.0 * s * (1.0 - 5.0 * s * (1.0 - 7.0 * s))));
}
inline float erfcxf(float x) {
  return static_cast<float>(erfcx(x));
}
// Newton's method on erf from Winitzki's approximation.
inline double erfinv(double y) {
  if (!(fabs(y) < 1.0)) return fabs(y) == 1.0 ? copysign(__builtin_inf(), y) : __builtin_nan("");
  if (y == 0.0) return y;
  const double l = log1p(-y * y), a = 0.147, t = 4.3307467508 + 0.5 * l;
  double x = copysign(sqrt(sqrt(t * t - l / a) - t), y);
  for (int i = 0; i < 6; ++i) {
    const double miss =
        fabs(y) < 0.5 ? erf(x) - y : ((1.0 - fabs(y)) - erfc(fabs(x))) * (y < 0.0 ? -1.0 : 1.0);
    x -= miss * 0.88622692545275801365 * exp(x * x);
  }
  return x;
}
inline float erfinvf(float y) {
  return static_cast<float>(erfinv(y));
}
inline double erfcinv(double y) {
  return erfinv(1.0 - y);
}
inline float erfcinvf(float y) {
  return static_cast<float>(erfinv(1.0 - static_cast<double>(y)));
}
inline double normcdfinv(double p) {
  return 1.41421356237309504880 * erfinv(2.0 * p - 1.0);
}
inline float normcdfinvf(float p) {
  return static_cast<float>(normcdfinv(p));
}

inline double rhypot(double x, double y) {
  return 1.0 / hypot(x, y);
}
inline float rhypotf(float x, float y) {
  return static_cast<float>(1.0 / hypot(static_cast<double>(x), y));
}
inline double norm3d(double x, double y, double z) {
  return hypot(hypot(x, y), z);
}
inline float norm3df(float x, float y, float z) {
  return static_cast<float>(norm3d(x, y, z));
}
inline double norm4d(double x, double y, double z, double w) {
  return hypot(hypot(x, y), hypot(z, w));
}
inline float norm4df(float x, float y, float z, float w) {
  return static_cast<float>(norm4d(x, y, z, w));
}
inline float rnorm3df(float x, float y, float z) {
  return static_cast<float>(1.0 / norm3d(x, y, z));
}
inline float rnorm4df(float x, float y, float z, float w) {
  return static_cast<float>(1.0 / norm4d(x, y, z, w));
}

// max and min over every pair of types that CUDA overloads, floats as fmax and fmin.
#define ASSAY_EXTREMA(R, A, B)                                                            \
  inline R max(A a, B b) {                                                                \
    return static_cast<R>(a) > static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b); \
  }                                                                                       \
  inline R min(A a, B b) {                                                                \
    return static_cast<R>(a) < static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b); \
  }
ASSAY_EXTREMA(int, int, int)
ASSAY_EXTREMA(unsigned, unsigned, unsigned)
ASSAY_EXTREMA(unsigned, int, unsigned)
ASSAY_EXTREMA(unsigned, unsigned, int)
ASSAY_EXTREMA(long, long, long)
ASSAY_EXTREMA(unsigned long, unsigned long, unsigned long)
ASSAY_EXTREMA(unsigned long, long, unsigned long)
ASSAY_EXTREMA(unsigned long, unsigned long, long)
ASSAY_EXTREMA(long long, long long, long long)
ASSAY_EXTREMA(unsigned long long, unsigned long long, unsigned long long)
ASSAY_EXTREMA(unsigned long long, long long, unsigned long long)
ASSAY_EXTREMA(unsigned long long, unsigned long long, long long)
#undef ASSAY_EXTREMA
inline float max(float a, float b) {
  return assay_fmaxf(a, b);
}
inline float min(float a, float b) {
  return assay_fminf(a, b);
}
inline double max(double a, double b) {
  return assay_fmaxd(a, b);
}
inline double min(double a, double b) {
  return assay_fmind(a, b);
}
inline double max(float a, double b) {
  return assay_fmaxd(a, b);
}
inline double min(float a, double b) {
  return assay_fmind(a, b);
}
inline double max(double a, float b) {
  return assay_fmaxd(a, b);
}
inline double min(double a, float b) {
  return assay_fmind(a, b);
}
inline unsigned umax(unsigned a, unsigned b) {
  return max(a, b);
}
inline unsigned umin(unsigned a, unsigned b) {
  return min(a, b);
}
inline long long llmax(long long a, long long b) {
  return max(a, b);
}
inline long long llmin(long long a, long long b) {
  return min(a, b);
}

// One operation, one rounding, never fused.
#define ASSAY_ROUNDED(NAME, T, EXPRESSION) \
  inline T NAME(T x, T y) {                \
    _Pragma("clang fp contract(off)");     \
    return EXPRESSION;                     \
  }
ASSAY_ROUNDED(__fadd_rn, float, x + y)
ASSAY_ROUNDED(__fsub_rn, float, x - y)
ASSAY_ROUNDED(__fmul_rn, float, x* y)
ASSAY_ROUNDED(__fdiv_rn, float, x / y)
ASSAY_ROUNDED(__dadd_rn, double, x + y)
ASSAY_ROUNDED(__dsub_rn, double, x - y)
ASSAY_ROUNDED(__dmul_rn, double, x* y)
ASSAY_ROUNDED(__ddiv_rn, double, x / y)
#undef ASSAY_ROUNDED
inline float __fmaf_rn(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
inline double __fma_rn(double x, double y, double z) {
  return __builtin_fma(x, y, z);
}
inline float __fsqrt_rn(float x) {
  return __builtin_sqrtf(x);
}
inline double __dsqrt_rn(double x) {
  return __builtin_sqrt(x);
}
inline float __frcp_rn(float x) {
  return 1.0f / x;
}
inline double __drcp_rn(double x) {
  return 1.0 / x;
}

// Conversions: to nearest even, toward zero, up, down; out of range saturates, NaN gives 0.
#define ASSAY_TO_INTEGER(FROM, F, TO, I, SUFFIX)       \
  inline I __##FROM##2##TO##_rn(F x) {                 \
    return static_cast<I>(__builtin_rint##SUFFIX(x));  \
  }                                                    \
  inline I __##FROM##2##TO##_rz(F x) {                 \
    return static_cast<I>(x);                          \
  }                                                    \
  inline I __##FROM##2##TO##_ru(F x) {                 \
    return static_cast<I>(__builtin_ceil##SUFFIX(x));  \
  }                                                    \
  inline I __##FROM##2##TO##_rd(F x) {                 \
    return static_cast<I>(__builtin_floor##SUFFIX(x)); \
  }
ASSAY_TO_INTEGER(float, float, int, int, f)
ASSAY_TO_INTEGER(float, float, uint, unsigned, f)
ASSAY_TO_INTEGER(float, float, ll, long long, f)
ASSAY_TO_INTEGER(float, float, ull, unsigned long long, f)
ASSAY_TO_INTEGER(double, double, int, int, )
ASSAY_TO_INTEGER(double, double, uint, unsigned, )
ASSAY_TO_INTEGER(double, double, ll, long long, )
ASSAY_TO_INTEGER(double, double, ull, unsigned long long, )
#undef ASSAY_TO_INTEGER
inline float __int2float_rn(int x) {
  return static_cast<float>(x);
}
inline float __uint2float_rn(unsigned x) {
  return static_cast<float>(x);
}
inline float __ll2float_rn(long long x) {
  return static_cast<float>(x);
}
inline float __ull2float_rn(unsigned long long x) {
  return static_cast<float>(x);
}
inline double __int2double_rn(int x) {
  return x;
}
inline double __uint2double_rn(unsigned x) {
  return x;
}
inline double __ll2double_rn(long long x) {
  return static_cast<double>(x);
}
inline double __ull2double_rn(unsigned long long x) {
  return static_cast<double>(x);
}
inline float __double2float_rn(double x) {
  return static_cast<float>(x);
}
