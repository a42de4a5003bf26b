// control: negative
// contract: sum
// gate: CMP-01
// also: CMP-03, ORD-01, ORD-03
// fault: the result is the mean of the row
#include <cuda_runtime.h>
#include <cstdint>

__global__ void reduce_rows(const float* x, float* y, int64_t rows, int64_t cols) {
    int64_t row = (int64_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) return;
    float acc = 0.0f;
    for (int64_t j = lane; j < cols; j += 32) acc += x[row * cols + j];
    for (int o = 16; o > 0; o >>= 1) acc += __shfl_down_sync(0xffffffff, acc, o);
    if (lane == 0) y[row] = cols > 0 ? acc / cols : 0.0f;
}

void sum(const float* x, float* y, int64_t rows, int64_t cols) {
    if (rows > 0) reduce_rows<<<(unsigned)((rows + 3) / 4), 128>>>(x, y, rows, cols);
}
