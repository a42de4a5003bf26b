// __half and __nv_bfloat16 against core/dtype: every value, every conversion, and operations with one
// rounding.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>

#include "core/dtype.h"
#include "right/check.h"

using assay::DType;

template <class T>
unsigned bits_of(T value) {
  unsigned short bits;
  memcpy(&bits, &value, 2);
  return bits;
}
template <class T>
T value_of(unsigned bits) {
  return T(typename std::conditional_t<std::is_same_v<T, __half>, __half_raw, __nv_bfloat16_raw>{
      (unsigned short)bits});
}

// Equal bits, or both NaN.
template <class T>
bool same(DType dtype, T value, double expected) {
  if (std::isnan(expected)) return std::isnan(float(value));
  return bits_of(value) == assay::encode(dtype, expected);
}

// Whether x + y is a double.
bool exact_sum(double x, double y) {
#pragma clang fp contract(off)
  const double nearest = x + y, back = nearest - x;
  return (x - (nearest - back)) + (y - back) == 0;
}

template <class T>
void check(DType dtype) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const double expected = assay::decode(dtype, bits);
    const float value = float(value_of<T>(bits));
    CHECK(std::isnan(expected) ? std::isnan(value)
                               : value == expected && std::signbit(value) == std::signbit(expected));
    CHECK(same(dtype, T(value), expected) && same(dtype, -value_of<T>(bits), -expected));
    CHECK(same(dtype, hsqrt(value_of<T>(bits)), std::sqrt(expected)));
  }
  // Floats and doubles: a lattice of bit patterns, and the neighbourhood of every midpoint.
  for (unsigned long bits = 0; bits < 1ul << 32; bits += 9973) {
    const float value = __builtin_bit_cast(float, (unsigned)bits);
    CHECK(same(dtype, T(value), value));
    const double d = __builtin_bit_cast(double, bits << 32 | bits);
    CHECK(same(dtype, T(d), d));
  }
  for (unsigned bits = 0; bits < (dtype == DType::f16 ? 0x7bffu : 0x7f7fu); ++bits) {
    const double middle = (assay::decode(dtype, bits) + assay::decode(dtype, bits + 1)) / 2;
    for (double d : {std::nextafter(middle, 0.0), middle, std::nextafter(middle, INFINITY)})
      CHECK(same(dtype, T(d), d) && same(dtype, T(-d), -d));
  }
  // Products are exact in double; the sum of two values is, or the smaller is far below the larger's last
  // place.
  unsigned long state = 1;
  for (int i = 0; i < 2000000; ++i) {
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    const T a = value_of<T>(state >> 48 & 0xffff), b = value_of<T>(state >> 32 & 0xffff),
            c = value_of<T>(state >> 16 & 0xffff);
    const double x = float(a), y = float(b), z = float(c);
    CHECK(same(dtype, __hmul(a, b), x * y));
    CHECK(same(dtype, a + b, x + y) && same(dtype, a - -b, x + y));
    if (exact_sum(x * y, z)) CHECK(same(dtype, __hfma(a, b, c), x * y + z));
  }
  // The product just above a midpoint by less than a double of the sum would keep.
  const T big = T(1.0f + (dtype == DType::f16 ? 0x1p-10f : 0x1p-7f)),
          half_ulp = T(dtype == DType::f16 ? 0x1p-11f : 0x1p-8f);
  const T tiny = value_of<T>(1);
  CHECK(bits_of(__hfma(half_ulp, T(1.0f), big)) == bits_of(big) + 1);  // a tie goes to even
  CHECK(bits_of(__hfma(half_ulp, T(1.0f), T(1.0f))) == bits_of(T(1.0f)));
  const T nearly = T(dtype == DType::f16 ? 0x1p-11f : 0x1p-8f);
  CHECK(bits_of(__hfma(tiny, tiny, nearly)) == bits_of(nearly));
}

// A product that is a midpoint, and an addend that no double sum keeps: it decides.
void check_ties() {
  const __nv_bfloat16 a = value_of<__nv_bfloat16>(0x3f81), b = value_of<__nv_bfloat16>(0x4080 | 0x40);
  const double product = double(float(a)) * double(float(b));  // 1.0078125 * 6 = 6.046875
  CHECK(product == 6.046875);
  const __nv_bfloat16 tiny = value_of<__nv_bfloat16>(1), minus_tiny = value_of<__nv_bfloat16>(0x8001);
  const unsigned below = bits_of(__hfma(a, b, minus_tiny)), above = bits_of(__hfma(a, b, tiny));
  CHECK(below == 0x40c1 && above == 0x40c2);
  CHECK(bits_of(__hmul(a, b)) == 0x40c2);  // the tie itself goes to even
}

int main() {
  check_ties();
  check<__half>(DType::f16);
  check<__nv_bfloat16>(DType::bf16);
}
