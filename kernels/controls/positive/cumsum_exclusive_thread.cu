// control: positive
// contract: cumsum_exclusive
// where: cols <= 160
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>

__global__ void exclusive_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t rows, int64_t cols) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.f;
    for (int64_t j = 0; j < cols; ++j) {
        y[row * cols + j] = sum;
        sum += x[row * cols + j];
    }
}
__global__ void exclusive_kernel(const __half* __restrict__ x, __half* __restrict__ y, int64_t rows, int64_t cols) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.f;
    for (int64_t j = 0; j < cols; ++j) {
        y[row * cols + j] = __float2half(sum);
        sum += __half2float(x[row * cols + j]);
    }
}

void cumsum_exclusive(const float* x, float* y, int64_t rows, int64_t cols) {
    if (rows > 0) exclusive_kernel<<<(unsigned)((rows + 31) / 32), 32>>>(x, y, rows, cols);
}
void cumsum_exclusive(const __half* x, __half* y, int64_t rows, int64_t cols) {
    if (rows > 0) exclusive_kernel<<<(unsigned)((rows + 31) / 32), 32>>>(x, y, rows, cols);
}
