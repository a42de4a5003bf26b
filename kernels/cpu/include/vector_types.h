#pragma once

// CUDA's vector types with CUDA's alignment, and dim3.

#include <stddef.h>

// UBSan checks the alignment of what a copy reads and writes only where the copy is not trivial.
#if defined(__has_feature)
#if __has_feature(undefined_behavior_sanitizer)
#define ASSAY_CHECKED_COPY [[no_unique_address]] assay::cpu::CheckedCopy assay_copy;
namespace assay::cpu {
struct CheckedCopy {
  CheckedCopy() = default;
  constexpr CheckedCopy(const CheckedCopy&) {}
  constexpr CheckedCopy& operator=(const CheckedCopy&) { return *this; }
};
}  // namespace assay::cpu
#endif
#endif
#ifndef ASSAY_CHECKED_COPY
#define ASSAY_CHECKED_COPY
#endif

#define ASSAY_VECTOR1(NAME, T) \
  struct NAME##1 {             \
    T x;                       \
  };
#define ASSAY_VECTOR2(NAME, T, ALIGN) \
  struct alignas(ALIGN) NAME##2 {     \
    T x, y;                           \
    ASSAY_CHECKED_COPY                \
  };
#define ASSAY_VECTOR3(NAME, T) \
  struct NAME##3 {             \
    T x, y, z;                 \
  };
#define ASSAY_VECTOR4(NAME, T, ALIGN) \
  struct alignas(ALIGN) NAME##4 {     \
    T x, y, z, w;                     \
    ASSAY_CHECKED_COPY                \
  };
#define ASSAY_MAKE(NAME, T)                                     \
  inline constexpr NAME##1 make_##NAME##1(T x) {                \
    return {x};                                                 \
  }                                                             \
  inline constexpr NAME##2 make_##NAME##2(T x, T y) {           \
    return {x, y};                                              \
  }                                                             \
  inline constexpr NAME##3 make_##NAME##3(T x, T y, T z) {      \
    return {x, y, z};                                           \
  }                                                             \
  inline constexpr NAME##4 make_##NAME##4(T x, T y, T z, T w) { \
    return {x, y, z, w};                                        \
  }
#define ASSAY_VECTORS(NAME, T, ALIGN2, ALIGN4) \
  ASSAY_VECTOR1(NAME, T)                       \
  ASSAY_VECTOR2(NAME, T, ALIGN2)               \
  ASSAY_VECTOR3(NAME, T)                       \
  ASSAY_VECTOR4(NAME, T, ALIGN4)               \
  ASSAY_MAKE(NAME, T)

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wmissing-field-initializers"
ASSAY_VECTORS(char, signed char, 2, 4)
ASSAY_VECTORS(uchar, unsigned char, 2, 4)
ASSAY_VECTORS(short, short, 4, 8)
ASSAY_VECTORS(ushort, unsigned short, 4, 8)
ASSAY_VECTORS(int, int, 8, 16)
ASSAY_VECTORS(uint, unsigned int, 8, 16)
ASSAY_VECTORS(long, long, 16, 16)
ASSAY_VECTORS(ulong, unsigned long, 16, 16)
ASSAY_VECTORS(longlong, long long, 16, 16)
ASSAY_VECTORS(ulonglong, unsigned long long, 16, 16)
ASSAY_VECTORS(float, float, 8, 16)
ASSAY_VECTORS(double, double, 16, 16)
#pragma clang diagnostic pop

#undef ASSAY_VECTORS
#undef ASSAY_MAKE
#undef ASSAY_VECTOR4
#undef ASSAY_VECTOR3
#undef ASSAY_VECTOR2
#undef ASSAY_VECTOR1
#undef ASSAY_CHECKED_COPY

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
