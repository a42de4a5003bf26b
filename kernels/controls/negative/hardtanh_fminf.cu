// control: negative
// contract: hardtanh
// gate: EXC-01
// bind: hardtanh(x, y, n, low, high)
// fault: fminf and fmaxf turn NaN into the lower bound
#include <cuda_runtime.h>
#include <cstdint>

__global__ void hardtanh_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t n, float low, float high) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fminf(fmaxf(x[i], low), high);
}

void hardtanh(const float* x, float* y, int64_t n, float low, float high) {
    if (n > 0) hardtanh_kernel<<<(unsigned)((n + 255) / 256), 256>>>(x, y, n, low, high);
}
