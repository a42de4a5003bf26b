// control: positive
// contract: silu
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cstdint>

__device__ __forceinline__ float silu_of(float v) { return v / (1.f + expf(-v)); }

__global__ void silu_kernel(const float* x, float* y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = silu_of(x[i]);
}
__global__ void silu_kernel(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __float2bfloat16(silu_of(__bfloat162float(x[i])));
}

void silu(const float* x, float* y, int64_t n) {
    if (n > 0) silu_kernel<<<(unsigned)((n + 255) / 256), 256>>>(x, y, n);
}
void silu(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t n) {
    if (n > 0) silu_kernel<<<(unsigned)((n + 255) / 256), 256>>>(x, y, n);
}
