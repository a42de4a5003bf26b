// control: negative
// contract: argmin
// gate: EXC-02
// fault: of equal minima the last one is returned
#include <cuda_runtime.h>
#include <cstdint>

__global__ void argmin_kernel(const float* __restrict__ x, int64_t* __restrict__ y, int64_t rows, int64_t cols) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float best = x[row * cols];
    int64_t at = 0;
    for (int64_t j = 1; j < cols && best == best; ++j) {
        const float v = x[row * cols + j];
        if (v <= best || v != v) {
            best = v;
            at = j;
        }
    }
    y[row] = at;
}

void argmin(const float* x, int64_t* y, int64_t rows, int64_t cols) {
    if (rows > 0 && cols > 0) argmin_kernel<<<(unsigned)((rows + 63) / 64), 64>>>(x, y, rows, cols);
}
