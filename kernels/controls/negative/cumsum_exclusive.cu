// control: negative
// contract: cumsum
// gate: CMP-01
// also: CMP-03, ORD-01, ORD-03
// fault: exclusive instead of inclusive: each element is left out of its own sum
#include <cuda_runtime.h>
#include <cstdint>

__global__ void prefix_sum(const float* x, float* y, int64_t rows, int64_t cols) {
    const int64_t r = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float running = 0.0f;
    for (int64_t j = 0; j < cols; ++j) {
        y[r * cols + j] = running;
        running += x[r * cols + j];
    }
}

void cumsum(const float* x, float* y, int64_t rows, int64_t cols) {
    if (rows > 0 && cols > 0) prefix_sum<<<(unsigned)((rows + 31) / 32), 32>>>(x, y, rows, cols);
}
