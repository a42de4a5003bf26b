// The 8-bit formats: every value both ways, the midpoints between neighbours, overflow, NaN.
#include <cuda_fp8.h>

#include <cmath>

#include "check.h"

template <class T>
__device__ T of_bits(unsigned bits) {
  T value;
  value.__x = (unsigned char)bits;
  return value;
}

// Whether T(x) is the value with these bits.
template <class T>
__device__ bool gives(float x, unsigned bits) {
  return T(x).__x == bits;
}

template <class T>
__global__ void check(int largest, float above, int* wrong) {
  for (int bits = 0; bits <= largest; ++bits) {
    const float value = float(of_bits<T>(bits));
    if (!gives<T>(value, bits) || !gives<T>(-value, bits | 0x80)) *wrong = __LINE__;
    if (float(of_bits<T>(bits | 0x80)) != -value) *wrong = __LINE__;
    if (float(__half(of_bits<T>(bits))) != value) *wrong = __LINE__;
    if (bits == largest) break;
    const float next = float(of_bits<T>(bits + 1)), middle = (value + next) / 2;
    if (!(value < next)) *wrong = __LINE__;
    if (!gives<T>(middle, bits + (bits & 1))) *wrong = __LINE__;  // ties to even
    if (!gives<T>(nextafterf(middle, 0.0f), bits)) *wrong = __LINE__;
    if (!gives<T>(nextafterf(middle, 1e9f), bits + 1)) *wrong = __LINE__;
  }
  if (!gives<T>(above, largest) || !gives<T>(-INFINITY, largest | 0x80)) *wrong = __LINE__;
  if (!isnan(float(T(NAN)))) *wrong = __LINE__;
}

__global__ void conversions(int* wrong) {
  if (__nv_cvt_float_to_fp8(1e9f, __NV_NOSAT, __NV_E5M2) != 0x7c) *wrong = __LINE__;
  if ((__nv_cvt_float_to_fp8(1e9f, __NV_NOSAT, __NV_E4M3) & 0x7f) != 0x7f) *wrong = __LINE__;
  if (__nv_cvt_float_to_fp8(464.0f, __NV_SATFINITE, __NV_E4M3) != 0x7e) *wrong = __LINE__;
  if (__nv_cvt_float2_to_fp8x2(make_float2(1, -2), __NV_SATFINITE, __NV_E4M3) != 0xc038) *wrong = __LINE__;
  const float4 back = float4(__nv_fp8x4_e5m2(make_float4(1, 2, -3, 0.25f)));
  if (back.x != 1 || back.y != 2 || back.z != -3 || back.w != 0.25f) *wrong = __LINE__;
  const float2 pair = float2(__nv_fp8x2_e4m3(make_float2(1.0625f, -448)));
  if (pair.x != 1 || pair.y != -448) *wrong = __LINE__;
}

int main() {
  int* wrong = device_array<int>(1);
  check<__nv_fp8_e4m3><<<1, 1>>>(0x7e, 1000, wrong);
  CHECK(cudaDeviceSynchronize() == cudaSuccess && (*wrong == 0 || (std::printf("%d\n", *wrong), false)));
  check<__nv_fp8_e5m2><<<1, 1>>>(0x7b, 1e6f, wrong);
  CHECK(cudaDeviceSynchronize() == cudaSuccess && (*wrong == 0 || (std::printf("%d\n", *wrong), false)));
  conversions<<<1, 1>>>(wrong);
  CHECK(cudaDeviceSynchronize() == cudaSuccess && (*wrong == 0 || (std::printf("%d\n", *wrong), false)));
  cudaFree(wrong);
}
