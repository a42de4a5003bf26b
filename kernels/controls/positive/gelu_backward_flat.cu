// control: positive
// contract: gelu_backward
#include <cuda_runtime.h>
#include <cstdint>

__global__ void gelu_backward_kernel(const float* __restrict__ x, const float* __restrict__ dy,
                                     float* __restrict__ dx, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float v = x[i];
    const float below = 0.5f * (1.0f + erff(v * 0.70710678118654752f));
    const float density = expf(-0.5f * v * v) * 0.39894228040143268f;
    dx[i] = dy[i] * (below + v * density);
}

void gelu_backward(const float* x, const float* dy, float* dx, int64_t n) {
    if (n > 0) gelu_backward_kernel<<<(unsigned)((n + 255) / 256), 256>>>(x, dy, dx, n);
}
