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
  // A sum or product of two is exact in double for these formats unless their exponents are far apart, where
  // the sum is checked by its parts: the larger, unless the smaller reaches its midpoint.
  unsigned long state = 1;
  for (int i = 0; i < 2000000; ++i) {
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    const T a = value_of<T>(state >> 48 & 0xffff), b = value_of<T>(state >> 32 & 0xffff),
            c = value_of<T>(state >> 16 & 0xffff);
    const double x = float(a), y = float(b), z = float(c);
    CHECK(same(dtype, __hmul(a, b), x * y));
    const long double sum = (long double)x + y;
    if ((long double)(double)sum == sum)
      CHECK(same(dtype, a + b, (double)sum) && same(dtype, a - -b, (double)sum));
    const long double fused = (long double)(x * y) + z;
    if ((long double)(double)fused == fused) CHECK(same(dtype, __hfma(a, b, c), (double)fused));
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

int main() {
  check<__half>(DType::f16);
  check<__nv_bfloat16>(DType::bf16);
}
