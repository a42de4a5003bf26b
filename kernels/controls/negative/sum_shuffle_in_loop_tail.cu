// control: negative
// contract: sum
// gate: ORD-02
// also: CMP-03, RES-02
// bind: sum_rows(x, y, rows, cols)
// fault: the full-mask shuffle sits inside the strided loop, where the last pass has only some of the lanes
#include <cuda_runtime.h>
#include <cstdint>

__global__ void sum_rows_kernel(const float* x, float* y, int64_t rows, int64_t cols) {
    const int64_t row = (int64_t)blockIdx.x * 4 + threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    if (row >= rows) return;
    float total = 0.0f;
    for (int64_t j = lane; j < cols; j += 32) {
        float v = x[row * cols + j];
        for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
        total += v;
    }
    if (lane == 0) y[row] = total;
}

void sum_rows(const float* x, float* y, int64_t rows, int64_t cols) {
    if (rows > 0) sum_rows_kernel<<<(unsigned)((rows + 3) / 4), 128>>>(x, y, rows, cols);
}
