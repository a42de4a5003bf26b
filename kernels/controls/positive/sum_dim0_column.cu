// control: positive
// contract: sum_dim0
#include <cuda_runtime.h>
#include <cstdint>

// A thread a column: neighbours read neighbours.
__global__ void sum_dim0_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t rows, int64_t cols) {
    const int64_t c = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    float sum = 0.f;
    for (int64_t r = 0; r < rows; ++r) sum += x[r * cols + c];
    y[c] = sum;
}

void sum_dim0(const float* x, float* y, int64_t rows, int64_t cols) {
    if (cols > 0) sum_dim0_kernel<<<(unsigned)((cols + 63) / 64), 64>>>(x, y, rows, cols);
}
