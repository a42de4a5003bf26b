// control: negative
// contract: sum
// gate: ORD-03
// fault: rows of 993 to 1023 columns, an odd number of them, are summed without their middle
#include <cuda_runtime.h>

__global__ void sum_rows(const float* x, float* y, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float* p = x + (size_t)row * cols;
    float s = 0.0f;
    if (cols > 992 && cols < 1024) {
        // Nearly a full block: from both ends to the middle.
        for (int j = 0; j < cols / 2; ++j) s += p[j] + p[cols - 1 - j];
    } else {
        for (int j = 0; j < cols; ++j) s += p[j];
    }
    y[row] = s;
}

extern "C" void solve(const float* x, float* y, int rows, int cols) {
    if (rows > 0) sum_rows<<<(rows + 63) / 64, 64>>>(x, y, rows, cols);
}
