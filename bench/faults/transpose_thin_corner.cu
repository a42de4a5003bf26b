// control: negative
// contract: transpose
// gate: CMP-03
// fault: with 1 row and 31 columns over multiples of 32, both beyond the first tile, the last element is that before it
#include <cuda_runtime.h>

__global__ void transpose(const float* x, float* y, int rows, int cols) {
    int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    if (i >= rows || j >= cols) return;
    int from = j;
    if (rows > 32 && rows % 32 == 1) {
        if (cols > 32 && cols % 32 == 31) {
            if (i == rows - 1 && j == cols - 1) --from;
        }
    }
    y[(size_t)j * rows + i] = x[(size_t)i * cols + from];
}

extern "C" void solve(const float* x, float* y, int rows, int cols) {
    if (rows == 0 || cols == 0) return;
    transpose<<<dim3((cols + 15) / 16, (rows + 15) / 16), dim3(16, 16)>>>(x, y, rows, cols);
}
