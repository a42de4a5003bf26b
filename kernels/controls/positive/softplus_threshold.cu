// control: positive
// contract: softplus
// bind: softplus(x, y, n, beta, threshold)
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cstdint>

__device__ __forceinline__ float softplus_one(float v, float beta, float threshold) {
    const float scaled = v * beta;
    return scaled > threshold ? v : log1pf(expf(scaled)) / beta;
}

__global__ void softplus_kernel(const float* x, float* y, int64_t n, float beta, float threshold) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = softplus_one(x[i], beta, threshold);
}

__global__ void softplus_kernel(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t n, float beta, float threshold) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __float2bfloat16(softplus_one(__bfloat162float(x[i]), beta, threshold));
}

void softplus(const float* x, float* y, int64_t n, float beta, float threshold) {
    if (n > 0) softplus_kernel<<<(unsigned)((n + 255) / 256), 256>>>(x, y, n, beta, threshold);
}
void softplus(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t n, float beta, float threshold) {
    if (n > 0) softplus_kernel<<<(unsigned)((n + 255) / 256), 256>>>(x, y, n, beta, threshold);
}
