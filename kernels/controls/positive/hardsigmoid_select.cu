// control: positive
// contract: hardsigmoid
#include <cuda_runtime.h>
#include <cstdint>

// Comparisons, not fminf and fmaxf, so that a NaN is neither below 0 nor above 6.
__global__ void hardsigmoid_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i] + 3.0f;
    v = v < 0.0f ? 0.0f : v;
    v = v > 6.0f ? 6.0f : v;
    y[i] = v * (1.0f / 6.0f);
}

void hardsigmoid(const float* x, float* y, int64_t n) {
    if (n > 0) hardsigmoid_kernel<<<(unsigned)((n + 255) / 256), 256>>>(x, y, n);
}
