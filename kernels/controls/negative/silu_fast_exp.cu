// control: negative
// contract: silu
// gate: EXC-01
// fault: x * sigmoid(x) with the sigmoid held at 0 below -88: of -Inf the product is guarded to 0, not NaN
#include <cuda_runtime.h>
#include <cstdint>

__global__ void silu_kernel(const float* x, float* y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = isinf(x[i]) ? fmaxf(x[i], 0.f) : x[i] / (1.f + expf(-x[i]));
}

void silu(const float* x, float* y, int64_t n) {
    if (n > 0) silu_kernel<<<(unsigned)((n + 255) / 256), 256>>>(x, y, n);
}
