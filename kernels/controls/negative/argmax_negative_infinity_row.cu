// control: negative
// contract: argmax
// gate: EXC-01
// fault: the search starts at -Inf with index -1 and a strict comparison, so a row of -Inf has no maximum
#include <cuda_runtime.h>
#include <cstdint>
#include <math.h>

__global__ void argmax_kernel(const float* __restrict__ x, int64_t* __restrict__ y, int64_t rows, int64_t cols) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float best = -INFINITY;
    int64_t index = -1;
    for (int64_t j = 0; j < cols; ++j) {
        const float v = x[row * cols + j];
        if (v != v) {
            index = j;
            break;
        }
        if (v > best) {
            best = v;
            index = j;
        }
    }
    y[row] = index;
}

void argmax(const float* x, int64_t* y, int64_t rows, int64_t cols) {
    if (rows > 0 && cols > 0) argmax_kernel<<<(unsigned)((rows + 127) / 128), 128>>>(x, y, rows, cols);
}
