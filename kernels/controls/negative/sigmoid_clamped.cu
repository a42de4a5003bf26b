// control: negative
// contract: sigmoid
// gate: CMP-01
// only: yes
// fault: the input is clamped to [-20, 20] "for stability"; the tail below stays at 2e-9
#include <cuda_runtime.h>
#include <cstdint>

__global__ void sigmoid_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    if (v > 20.0f) v = 20.0f;
    if (v < -20.0f) v = -20.0f;
    y[i] = 1.0f / (1.0f + expf(-v));
}

void sigmoid(const float* x, float* y, int64_t n) {
    if (n > 0) sigmoid_kernel<<<(unsigned)((n + 255) / 256), 256>>>(x, y, n);
}
