// control: positive
// contract: hardswish
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>

__device__ __forceinline__ float hardswish_one(float v) {
    float gate = v + 3.f;
    gate = gate < 0.f ? 0.f : (gate > 6.f ? 6.f : gate);
    return v * gate / 6.f;
}

__global__ void hardswish_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = hardswish_one(x[i]);
}

__global__ void hardswish_kernel(const __half* __restrict__ x, __half* __restrict__ y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __float2half(hardswish_one(__half2float(x[i])));
}

void hardswish(const float* x, float* y, int64_t n) {
    if (n > 0) hardswish_kernel<<<(unsigned)((n + 127) / 128), 128>>>(x, y, n);
}
void hardswish(const __half* x, __half* y, int64_t n) {
    if (n > 0) hardswish_kernel<<<(unsigned)((n + 127) / 128), 128>>>(x, y, n);
}
