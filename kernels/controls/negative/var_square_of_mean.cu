// control: negative
// contract: var
// gate: CMP-01
// also: CMP-03, ORD-01
// bind: var(x, y, rows, cols, correction)
// fault: the mean of squares less the square of the mean cancels where the mean is large
#include <cuda_runtime.h>
#include <cstdint>

__global__ void var_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t rows, int64_t cols,
                           int correction) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float s = 0.f, q = 0.f;
    for (int64_t j = threadIdx.x; j < cols; j += 32) {
        const float v = x[row * cols + j];
        s += v;
        q += v * v;
    }
    for (int o = 16; o > 0; o >>= 1) {
        s += __shfl_xor_sync(0xffffffffu, s, o);
        q += __shfl_xor_sync(0xffffffffu, q, o);
    }
    if (threadIdx.x == 0) y[row] = (q - s * s / (float)cols) / (float)(cols - correction);
}

void var(const float* x, float* y, int64_t rows, int64_t cols, int correction) {
    if (rows > 0) var_kernel<<<(unsigned)((rows + 3) / 4), dim3(32, 4)>>>(x, y, rows, cols, correction);
}
