// control: negative
// contract: elu
// gate: CMP-01
// also: CMP-03, EXC-02
// bind: elu(x, y, n, alpha)
// fault: exp(x) - 1 in place of expm1(x): a small negative x loses its digits
#include <cuda_runtime.h>
#include <cstdint>

__global__ void elu_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t n, float alpha) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] > 0.f ? x[i] : alpha * (expf(x[i]) - 1.f);
}

void elu(const float* x, float* y, int64_t n, float alpha) {
    if (n > 0) elu_kernel<<<(unsigned)((n + 255) / 256), 256>>>(x, y, n, alpha);
}
