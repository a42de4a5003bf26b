// control: positive
// contract: dequantize_i8
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>

__device__ __forceinline__ void put(float* p, float v) { *p = v; }
__device__ __forceinline__ void put(__half* p, float v) { *p = __float2half(v); }

template <typename T>
__global__ void dequantize_kernel(const int8_t* __restrict__ x, const float* __restrict__ scale, T* __restrict__ y,
                                  int64_t n, int zero_point) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) put(y + i, (float)(x[i] - zero_point) * *scale);
}

void dequantize(const int8_t* x, const float* scale, float* y, int64_t n, int zero_point) {
    if (n > 0) dequantize_kernel<<<(unsigned)((n + 127) / 128), 128>>>(x, scale, y, n, zero_point);
}
void dequantize(const int8_t* x, const float* scale, __half* y, int64_t n, int zero_point) {
    if (n > 0) dequantize_kernel<<<(unsigned)((n + 127) / 128), 128>>>(x, scale, y, n, zero_point);
}
