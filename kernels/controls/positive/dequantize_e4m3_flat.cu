// control: positive
// contract: dequantize_e4m3
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cstdint>

__device__ __forceinline__ void put(float* p, float v) { *p = v; }
__device__ __forceinline__ void put(__half* p, float v) { *p = __float2half(v); }
__device__ __forceinline__ void put(__nv_bfloat16* p, float v) { *p = __float2bfloat16(v); }

template <typename T>
__global__ void dequantize_kernel(const __nv_fp8_e4m3* __restrict__ x, const float* __restrict__ scale,
                                  T* __restrict__ y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) put(y + i, (float)x[i] * *scale);
}

void dequantize(const __nv_fp8_e4m3* x, const float* scale, float* y, int64_t n) {
    if (n > 0) dequantize_kernel<<<(unsigned)((n + 255) / 256), 256>>>(x, scale, y, n);
}
void dequantize(const __nv_fp8_e4m3* x, const float* scale, __half* y, int64_t n) {
    if (n > 0) dequantize_kernel<<<(unsigned)((n + 255) / 256), 256>>>(x, scale, y, n);
}
void dequantize(const __nv_fp8_e4m3* x, const float* scale, __nv_bfloat16* y, int64_t n) {
    if (n > 0) dequantize_kernel<<<(unsigned)((n + 255) / 256), 256>>>(x, scale, y, n);
}
