// control: negative
// contract: bias_relu
// gate: CMP-01
// also: CMP-03
// fault: the bias is read by the row's number, not the column's
#include <cuda_runtime.h>
#include <cstdint>

__global__ void bias_relu_kernel(const float* __restrict__ x, const float* __restrict__ b, float* __restrict__ y,
                                 int64_t total, int64_t cols) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    const float h = x[i] + b[i / cols % cols];
    y[i] = h < 0.f ? 0.f : h;
}

void bias_relu(const float* x, const float* b, float* y, int64_t rows, int64_t cols) {
    const int64_t total = rows * cols;
    if (total > 0) bias_relu_kernel<<<(unsigned)((total + 255) / 256), 256>>>(x, b, y, total, cols);
}
