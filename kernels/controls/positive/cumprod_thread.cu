// control: positive
// contract: cumprod
// where: cols <= 40
#include <cuda_runtime.h>
#include <cstdint>

__global__ void cumprod_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t rows, int64_t cols) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float product = 1.f;
    for (int64_t j = 0; j < cols; ++j) {
        product *= x[row * cols + j];
        y[row * cols + j] = product;
    }
}

void cumprod(const float* x, float* y, int64_t rows, int64_t cols) {
    if (rows > 0) cumprod_kernel<<<(unsigned)((rows + 31) / 32), 32>>>(x, y, rows, cols);
}
