#pragma once

// The 8-bit formats e4m3 (no infinity, one NaN) and e5m2, and their conversions: one rounding to nearest
// even, saturating to the largest finite value unless asked not to.

#include "assay_cuda.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

namespace assay::cpu {

// x, at most `mantissa` bits after the first and exponents from `lowest`: an integer multiple of the last
// place.
inline double rounded_to(double x, int mantissa, int lowest) {
  if (x == 0.0) return x;
  int exponent = static_cast<int>(__builtin_bit_cast(unsigned long, x) >> 52 & 0x7ff) - 1023;
  if (exponent < lowest) exponent = lowest;
  const double ulp = __builtin_bit_cast(double, static_cast<unsigned long>(1023 + exponent - mantissa) << 52);
  return __builtin_rint(x / ulp) * ulp;
}

inline unsigned char to_fp8(double x, __nv_saturation_t saturation, __nv_fp8_interpretation_t format) {
  const bool e4m3 = format == __NV_E4M3;
  const int mantissa = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15;
  const unsigned char sign = __builtin_signbit(x) ? 0x80 : 0;
  if (x != x) return e4m3 ? 0x7f : 0x7e;
  const unsigned char largest = e4m3 ? 0x7e : 0x7b;
  const double most = e4m3 ? 448.0 : 57344.0;
  const double value =
      __builtin_isinf(x) ? __builtin_inf() : __builtin_fabs(rounded_to(x, mantissa, 1 - bias));
  if (value > most) {
    if (saturation == __NV_SATFINITE) return sign | largest;
    return sign | (e4m3 ? 0x7f : 0x7c);
  }
  if (value == 0.0) return sign;
  const int exponent = static_cast<int>(__builtin_bit_cast(unsigned long, value) >> 52) - 1023;
  if (exponent < 1 - bias)
    return sign | static_cast<unsigned char>(value * static_cast<double>(1ul << (mantissa + bias - 1)));
  const auto fraction = static_cast<unsigned char>(
      __builtin_bit_cast(unsigned long, value) >> (52 - mantissa) & ((1 << mantissa) - 1));
  return sign | static_cast<unsigned char>((exponent + bias) << mantissa) | fraction;
}

inline float from_fp8(unsigned char bits, __nv_fp8_interpretation_t format) {
  const bool e4m3 = format == __NV_E4M3;
  if (!e4m3) return half_to_float(static_cast<unsigned short>(bits << 8));  // the upper half of a half
  const int exponent = bits >> 3 & 15, fraction = bits & 7;
  if ((bits & 0x7f) == 0x7f) return __builtin_bit_cast(float, 0x7fffffff);
  const float size = exponent == 0 ? static_cast<float>(fraction) * 0x1p-9f
                                   : __builtin_bit_cast(float, (exponent + 120) << 23 | fraction << 20);
  return bits & 0x80 ? -size : size;
}

}  // namespace assay::cpu

inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t s, __nv_fp8_interpretation_t f) {
  return assay::cpu::to_fp8(x, s, f);
}
inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t s, __nv_fp8_interpretation_t f) {
  return assay::cpu::to_fp8(x, s, f);
}
inline __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t s,
                                                  __nv_fp8_interpretation_t f) {
  return assay::cpu::to_fp8(float(__half(x)), s, f);
}
inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t s,
                                                      __nv_fp8_interpretation_t f) {
  return assay::cpu::to_fp8(float(__nv_bfloat16(x)), s, f);
}
inline __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t s,
                                                     __nv_fp8_interpretation_t f) {
  return static_cast<__nv_fp8x2_storage_t>(assay::cpu::to_fp8(x.x, s, f) | assay::cpu::to_fp8(x.y, s, f)
                                                                               << 8);
}
inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t f) {
  return __half(assay::cpu::from_fp8(x, f));
}
inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t f) {
  return __half2(__half(assay::cpu::from_fp8(static_cast<unsigned char>(x), f)),
                 __half(assay::cpu::from_fp8(static_cast<unsigned char>(x >> 8), f)));
}

#define ASSAY_FP8(NAME, FORMAT)                                                                     \
  struct NAME {                                                                                     \
    __nv_fp8_storage_t __x;                                                                         \
    NAME() = default;                                                                               \
    template <class T>                                                                              \
      requires std::is_arithmetic_v<T>                                                              \
    explicit NAME(T x) : __x(assay::cpu::to_fp8(static_cast<double>(x), __NV_SATFINITE, FORMAT)) {} \
    explicit NAME(__half x) : NAME(float(x)) {}                                                     \
    explicit NAME(__nv_bfloat16 x) : NAME(float(x)) {}                                              \
    explicit operator float() const {                                                               \
      return assay::cpu::from_fp8(__x, FORMAT);                                                     \
    }                                                                                               \
    explicit operator double() const {                                                              \
      return assay::cpu::from_fp8(__x, FORMAT);                                                     \
    }                                                                                               \
    explicit operator __half() const {                                                              \
      return __half(float(*this));                                                                  \
    }                                                                                               \
    explicit operator __nv_bfloat16() const {                                                       \
      return __nv_bfloat16(float(*this));                                                           \
    }                                                                                               \
    explicit operator int() const {                                                                 \
      return static_cast<int>(float(*this));                                                        \
    }                                                                                               \
    explicit operator bool() const {                                                                \
      return float(*this) != 0.0f;                                                                  \
    }                                                                                               \
  }
ASSAY_FP8(__nv_fp8_e4m3, __NV_E4M3);
ASSAY_FP8(__nv_fp8_e5m2, __NV_E5M2);
#undef ASSAY_FP8

#define ASSAY_FP8_VECTOR(NAME, FORMAT)                                                                     \
  struct alignas(2) NAME##x2_##FORMAT {                                                                    \
    __nv_fp8x2_storage_t __x;                                                                              \
    NAME##x2_##FORMAT() = default;                                                                         \
    explicit NAME##x2_##FORMAT(float2 v) : __x(pack(v.x, v.y)) {}                                          \
    explicit NAME##x2_##FORMAT(__half2 v) : __x(pack(float(v.x), float(v.y))) {}                           \
    explicit operator float2() const {                                                                     \
      return {float(one(__x)), float(one(__x >> 8))};                                                      \
    }                                                                                                      \
    explicit operator __half2() const {                                                                    \
      return {__half(one(__x)), __half(one(__x >> 8))};                                                    \
    }                                                                                                      \
    static NAME##_##FORMAT one(unsigned bits) {                                                            \
      NAME##_##FORMAT value;                                                                               \
      value.__x = static_cast<unsigned char>(bits);                                                        \
      return value;                                                                                        \
    }                                                                                                      \
    static unsigned short pack(float low, float high) {                                                    \
      return static_cast<unsigned short>(NAME##_##FORMAT(low).__x | NAME##_##FORMAT(high).__x << 8);       \
    }                                                                                                      \
  };                                                                                                       \
  struct alignas(4) NAME##x4_##FORMAT {                                                                    \
    __nv_fp8x4_storage_t __x;                                                                              \
    NAME##x4_##FORMAT() = default;                                                                         \
    explicit NAME##x4_##FORMAT(float4 v)                                                                   \
        : __x(NAME##x2_##FORMAT::pack(v.x, v.y) | static_cast<unsigned>(NAME##x2_##FORMAT::pack(v.z, v.w)) \
                                                      << 16) {}                                            \
    explicit operator float4() const {                                                                     \
      return {float(NAME##x2_##FORMAT::one(__x)), float(NAME##x2_##FORMAT::one(__x >> 8)),                 \
              float(NAME##x2_##FORMAT::one(__x >> 16)), float(NAME##x2_##FORMAT::one(__x >> 24))};         \
    }                                                                                                      \
  };
ASSAY_FP8_VECTOR(__nv_fp8, e4m3)
ASSAY_FP8_VECTOR(__nv_fp8, e5m2)
#undef ASSAY_FP8_VECTOR
