// control: negative
// contract: mish
// gate: CMP-01
// also: CMP-03
// fault: logf(1 + expf(x)) in place of log1pf: the tail below -17 is 0
#include <cuda_runtime.h>
#include <cstdint>

__global__ void mish_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * tanhf(logf(1.f + expf(x[i])));
}

void mish(const float* x, float* y, int64_t n) {
    if (n > 0) mish_kernel<<<(unsigned)((n + 255) / 256), 256>>>(x, y, n);
}
