// control: positive
// contract: gelu_tanh
#include <cuda_runtime.h>
#include <cstdint>

__global__ void gelu_tanh_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float v = x[i];
    const float inner = 0.79788456080286536f * (v + 0.044715f * v * v * v);
    y[i] = 0.5f * v * (1.0f + tanhf(inner));
}

void gelu_tanh(const float* x, float* y, int64_t n) {
    if (n > 0) gelu_tanh_kernel<<<(unsigned)((n + 255) / 256), 256>>>(x, y, n);
}
