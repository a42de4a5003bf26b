// control: positive
// contract: softsign
#include <cuda_runtime.h>
#include <cstdint>

__global__ void softsign_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] / (1.0f + fabsf(x[i]));
}

void softsign(const float* x, float* y, int64_t n) {
    if (n > 0) softsign_kernel<<<(unsigned)((n + 255) / 256), 256>>>(x, y, n);
}
