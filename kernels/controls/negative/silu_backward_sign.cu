// control: negative
// contract: silu_backward
// gate: CMP-01
// also: CMP-02, CMP-03
// fault: the second term has the wrong sign: the logistic function falls
#include <cuda_runtime.h>
#include <cstdint>

__global__ void silu_backward_kernel(const float* x, const float* dy, float* dx, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float s = 1.f / (1.f + expf(-x[i]));
    dx[i] = dy[i] * s * (1.f - x[i] * (1.f - s));
}

void silu_backward(const float* x, const float* dy, float* dx, int64_t n) {
    if (n > 0) silu_backward_kernel<<<(unsigned)((n + 127) / 128), 128>>>(x, dy, dx, n);
}
