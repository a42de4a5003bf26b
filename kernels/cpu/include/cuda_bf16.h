#pragma once

// __nv_bfloat16 and its pair: the upper half of a float, each operation with one rounding, NaN as 0x7fff.

#include "assay_cuda.h"
#include "assay_cuda/small_float.h"

struct __nv_bfloat16_raw {
  unsigned short x;
};
struct alignas(4) __nv_bfloat162_raw {
  unsigned short x, y;
};

struct alignas(2) __nv_bfloat16 {
  using assay_shuffled = void;
  unsigned short __x;

  __nv_bfloat16() = default;
  constexpr __nv_bfloat16(__nv_bfloat16_raw raw) : __x(raw.x) {}
  __nv_bfloat16(float v) : __x(assay::cpu::to_bfloat16(v)) {}
  __nv_bfloat16(double v) : __x(assay::cpu::to_bfloat16(v)) {}
  template <class I>
    requires std::is_integral_v<I>
  __nv_bfloat16(I v) : __x(assay::cpu::to_bfloat16(static_cast<double>(v))) {}
  operator float() const { return assay::cpu::bfloat16_to_float(__x); }
  operator __nv_bfloat16_raw() const { return {__x}; }

  unsigned short assay_bits() const { return __x; }
  static __nv_bfloat16 assay_bits(unsigned bits) {
    return __nv_bfloat16_raw{static_cast<unsigned short>(bits)};
  }
};
struct alignas(4) __nv_bfloat162 {
  using assay_shuffled = void;
  __nv_bfloat16 x, y;

  __nv_bfloat162() = default;
  __nv_bfloat162(const __nv_bfloat16& low, const __nv_bfloat16& high) : x(low), y(high) {}
  __nv_bfloat162(__nv_bfloat162_raw raw) : x(__nv_bfloat16_raw{raw.x}), y(__nv_bfloat16_raw{raw.y}) {}
  operator __nv_bfloat162_raw() const { return {x.__x, y.__x}; }
};

#define ASSAY_T __nv_bfloat16
#define ASSAY_T2 __nv_bfloat162
#define ASSAY_ENCODE assay::cpu::to_bfloat16
#define ASSAY_WIDE double
#define ASSAY_INFINITY 0x7f80
#include "assay_cuda/small_float.inc"
#undef ASSAY_T
#undef ASSAY_T2
#undef ASSAY_ENCODE
#undef ASSAY_WIDE
#undef ASSAY_INFINITY

inline float __bfloat162float(__nv_bfloat16 a) {
  return float(a);
}
inline __nv_bfloat16 __float2bfloat16(float a) {
  return __nv_bfloat16(a);
}
inline __nv_bfloat16 __float2bfloat16_rn(float a) {
  return __nv_bfloat16(a);
}
inline __nv_bfloat16 __double2bfloat16(double a) {
  return __nv_bfloat16(a);
}
inline __nv_bfloat162 __float2bfloat162_rn(float a) {
  return {__nv_bfloat16(a), __nv_bfloat16(a)};
}
inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) {
  return {__nv_bfloat16(a), __nv_bfloat16(b)};
}
inline __nv_bfloat162 __float22bfloat162_rn(float2 a) {
  return {__nv_bfloat16(a.x), __nv_bfloat16(a.y)};
}
inline float2 __bfloat1622float2(__nv_bfloat162 a) {
  return {float(a.x), float(a.y)};
}
inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) {
  return a.x;
}
inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) {
  return a.y;
}
inline __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) {
  return {a.x, a.x};
}
inline __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) {
  return {a.y, a.y};
}
inline __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) {
  return {a.y, a.x};
}
inline __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return {a.x, b.x};
}
inline __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return {a.y, b.y};
}
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) {
  return {low, high};
}
inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) {
  return {a, a};
}
inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) {
  return {low, high};
}
inline short __bfloat16_as_short(__nv_bfloat16 a) {
  return static_cast<short>(a.__x);
}
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) {
  return a.__x;
}
inline __nv_bfloat16 __short_as_bfloat16(short a) {
  return __nv_bfloat16_raw{static_cast<unsigned short>(a)};
}
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) {
  return __nv_bfloat16_raw{a};
}
#define ASSAY_INTEGER(NAME, I)                         \
  inline __nv_bfloat16 __##NAME##2bfloat16_rn(I a) {   \
    return __nv_bfloat16(a);                           \
  }                                                    \
  inline I __bfloat162##NAME##_rn(__nv_bfloat16 a) {   \
    return static_cast<I>(__builtin_rintf(float(a)));  \
  }                                                    \
  inline I __bfloat162##NAME##_rz(__nv_bfloat16 a) {   \
    return static_cast<I>(float(a));                   \
  }                                                    \
  inline I __bfloat162##NAME##_ru(__nv_bfloat16 a) {   \
    return static_cast<I>(__builtin_ceilf(float(a)));  \
  }                                                    \
  inline I __bfloat162##NAME##_rd(__nv_bfloat16 a) {   \
    return static_cast<I>(__builtin_floorf(float(a))); \
  }
ASSAY_INTEGER(int, int)
ASSAY_INTEGER(uint, unsigned)
ASSAY_INTEGER(short, short)
ASSAY_INTEGER(ushort, unsigned short)
ASSAY_INTEGER(ll, long long)
ASSAY_INTEGER(ull, unsigned long long)
#undef ASSAY_INTEGER

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000U)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)
