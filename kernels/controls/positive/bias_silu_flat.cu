// control: positive
// contract: bias_silu
#include <cuda_runtime.h>
#include <cstdint>

__global__ void bias_silu_kernel(const float* __restrict__ x, const float* __restrict__ b, float* __restrict__ y,
                                 int64_t total, int64_t cols) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    const float h = x[i] + b[i % cols];
    y[i] = h / (1.f + expf(-h));
}

void bias_silu(const float* x, const float* b, float* y, int64_t rows, int64_t cols) {
    const int64_t total = rows * cols;
    if (total > 0) bias_silu_kernel<<<(unsigned)((total + 127) / 128), 128>>>(x, b, y, total, cols);
}
