// control: positive
// contract: prod
#include <cuda_runtime.h>
#include <cstdint>

__global__ void prod_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t rows, int64_t cols) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float p = 1.f;
    for (int64_t j = threadIdx.x; j < cols; j += 32) p *= x[row * cols + j];
    for (int o = 16; o > 0; o >>= 1) p *= __shfl_xor_sync(0xffffffffu, p, o);
    if (threadIdx.x == 0) y[row] = p;
}

void prod(const float* x, float* y, int64_t rows, int64_t cols) {
    if (rows > 0) prod_kernel<<<(unsigned)((rows + 3) / 4), dim3(32, 4)>>>(x, y, rows, cols);
}
