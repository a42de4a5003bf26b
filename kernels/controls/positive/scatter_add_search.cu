// control: positive
// contract: scatter_add
#include <cuda_runtime.h>
#include <cstdint>

// A thread a place looks for what is added to it: no atomics, one order.
__global__ void scatter_add_kernel(const float* __restrict__ x, const int64_t* __restrict__ idx,
                                   const float* __restrict__ src, float* __restrict__ y, int64_t rows, int64_t cols,
                                   int64_t k) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= rows * cols) return;
    const int64_t row = e / cols;
    float sum = x[e];
    for (int64_t j = row * k; j < (row + 1) * k; ++j)
        if (idx[j] == e % cols) sum += src[j];
    y[e] = sum;
}

void scatter_add(const float* x, const int64_t* idx, const float* src, float* y, int64_t rows, int64_t cols,
                 int64_t k) {
    if (rows * cols > 0)
        scatter_add_kernel<<<(unsigned)((rows * cols + 63) / 64), 64>>>(x, idx, src, y, rows, cols, k);
}
