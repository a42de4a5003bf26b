// control: negative
// contract: argmax
// gate: EXC-02
// fault: >= keeps the last of equal maxima, the contract wants the first
#include <cuda_runtime.h>
#include <cstdint>

__global__ void argmax_kernel(const float* x, int64_t* y, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float* p = x + (size_t)row * cols;
    float best = p[0];
    int64_t at = 0;
    for (int j = 1; j < cols; ++j) {
        if (best != best) break;  // the first NaN wins
        if (p[j] >= best || p[j] != p[j]) {
            best = p[j];
            at = j;
        }
    }
    y[row] = at;
}

void argmax(const float* x, int64_t* y, int rows, int cols) {
    if (rows > 0 && cols > 0) argmax_kernel<<<(rows - 1) / 64 + 1, 64>>>(x, y, rows, cols);
}
