// control: positive
// contract: elu
// bind: elu(x, y, n, alpha)
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>

__device__ __forceinline__ float elu_one(float v, float alpha) { return v > 0.f ? v : alpha * expm1f(v); }

__global__ void elu_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t n, float alpha) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = elu_one(x[i], alpha);
}

__global__ void elu_kernel(const __half* __restrict__ x, __half* __restrict__ y, int64_t n, float alpha) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __float2half(elu_one(__half2float(x[i]), alpha));
}

void elu(const float* x, float* y, int64_t n, float alpha) {
    if (n > 0) elu_kernel<<<(unsigned)((n + 255) / 256), 256>>>(x, y, n, alpha);
}
void elu(const __half* x, __half* y, int64_t n, float alpha) {
    if (n > 0) elu_kernel<<<(unsigned)((n + 255) / 256), 256>>>(x, y, n, alpha);
}
