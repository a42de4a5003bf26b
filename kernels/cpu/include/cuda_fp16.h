#pragma once

// __half and __half2: IEEE binary16, each operation with one rounding, NaN as 0x7fff.

#include "assay_cuda.h"
#include "assay_cuda/small_float.h"

struct __half_raw {
  unsigned short x;
};
struct alignas(4) __half2_raw {
  unsigned short x, y;
};

struct alignas(2) __half {
  using assay_shuffled = void;
  unsigned short __x;

  __half() = default;
  constexpr __half(__half_raw raw) : __x(raw.x) {}
  __half(float v) : __x(assay::cpu::to_half(v)) {}
  __half(double v) : __x(assay::cpu::to_half(v)) {}
  template <class I>
    requires std::is_integral_v<I>
  __half(I v) : __x(assay::cpu::to_half(static_cast<double>(v))) {}
  operator float() const { return assay::cpu::half_to_float(__x); }
  operator __half_raw() const { return {__x}; }

  unsigned short assay_bits() const { return __x; }
  static __half assay_bits(unsigned bits) { return __half_raw{static_cast<unsigned short>(bits)}; }
};
struct alignas(4) __half2 {
  using assay_shuffled = void;
  __half x, y;

  __half2() = default;
  __half2(const __half& low, const __half& high) : x(low), y(high) {}
  __half2(__half2_raw raw) : x(__half_raw{raw.x}), y(__half_raw{raw.y}) {}
  operator __half2_raw() const { return {x.__x, y.__x}; }
};

#define ASSAY_T __half
#define ASSAY_T2 __half2
#define ASSAY_ENCODE assay::cpu::to_half
#define ASSAY_WIDE float
#define ASSAY_INFINITY 0x7c00
#include "assay_cuda/small_float.inc"
#undef ASSAY_T
#undef ASSAY_T2
#undef ASSAY_ENCODE
#undef ASSAY_WIDE
#undef ASSAY_INFINITY

inline float __half2float(__half a) {
  return float(a);
}
inline __half __float2half(float a) {
  return __half(a);
}
inline __half __float2half_rn(float a) {
  return __half(a);
}
inline __half __double2half(double a) {
  return __half(a);
}
inline __half2 __float2half2_rn(float a) {
  return {__half(a), __half(a)};
}
inline __half2 __floats2half2_rn(float a, float b) {
  return {__half(a), __half(b)};
}
inline __half2 __float22half2_rn(float2 a) {
  return {__half(a.x), __half(a.y)};
}
inline float2 __half22float2(__half2 a) {
  return {float(a.x), float(a.y)};
}
inline __half __low2half(__half2 a) {
  return a.x;
}
inline __half __high2half(__half2 a) {
  return a.y;
}
inline __half2 __low2half2(__half2 a) {
  return {a.x, a.x};
}
inline __half2 __high2half2(__half2 a) {
  return {a.y, a.y};
}
inline __half2 __lowhigh2highlow(__half2 a) {
  return {a.y, a.x};
}
inline __half2 __lows2half2(__half2 a, __half2 b) {
  return {a.x, b.x};
}
inline __half2 __highs2half2(__half2 a, __half2 b) {
  return {a.y, b.y};
}
inline __half2 __halves2half2(__half low, __half high) {
  return {low, high};
}
inline __half2 __half2half2(__half a) {
  return {a, a};
}
inline __half2 make_half2(__half low, __half high) {
  return {low, high};
}
inline short __half_as_short(__half a) {
  return static_cast<short>(a.__x);
}
inline unsigned short __half_as_ushort(__half a) {
  return a.__x;
}
inline __half __short_as_half(short a) {
  return __half_raw{static_cast<unsigned short>(a)};
}
inline __half __ushort_as_half(unsigned short a) {
  return __half_raw{a};
}
#define ASSAY_INTEGER(NAME, I)                         \
  inline __half __##NAME##2half_rn(I a) {              \
    return __half(a);                                  \
  }                                                    \
  inline I __half2##NAME##_rn(__half a) {              \
    return static_cast<I>(__builtin_rintf(float(a)));  \
  }                                                    \
  inline I __half2##NAME##_rz(__half a) {              \
    return static_cast<I>(float(a));                   \
  }                                                    \
  inline I __half2##NAME##_ru(__half a) {              \
    return static_cast<I>(__builtin_ceilf(float(a)));  \
  }                                                    \
  inline I __half2##NAME##_rd(__half a) {              \
    return static_cast<I>(__builtin_floorf(float(a))); \
  }
ASSAY_INTEGER(int, int)
ASSAY_INTEGER(uint, unsigned)
ASSAY_INTEGER(short, short)
ASSAY_INTEGER(ushort, unsigned short)
ASSAY_INTEGER(ll, long long)
ASSAY_INTEGER(ull, unsigned long long)
#undef ASSAY_INTEGER

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

inline __half __float2half_rz(float x) {
  const __half nearest(x);
  const float back = float(nearest);
  return __builtin_fabsf(back) > __builtin_fabsf(x) ? __half::assay_bits(nearest.__x - 1) : nearest;
}
// By the signed value of its bits: the next half up or down where rounding went the other way.
inline __half __float2half_ru(float x) {
  const __half nearest(x);
  if (!(float(nearest) < x)) return nearest;
  return nearest.__x & 0x8000
             ? (nearest.__x == 0x8000 ? __half::assay_bits(1) : __half::assay_bits(nearest.__x - 1))
             : __half::assay_bits(nearest.__x + 1);
}
inline __half __float2half_rd(float x) {
  return x != x ? __half(x) : __hneg(__float2half_ru(-x));
}

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)
