// control: negative
// contract: min
// gate: CMP-01
// also: CMP-03, ORD-01, EXC-01
// fault: the minimum starts at 0, so a row of positive numbers gives 0
#include <cuda_runtime.h>
#include <cstdint>

__device__ __forceinline__ float smaller(float a, float b) { return a < b || a != a ? a : b; }

__global__ void min_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t rows, int64_t cols) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float m = 0.f;
    for (int64_t j = 0; j < cols; ++j) m = smaller(m, x[row * cols + j]);
    y[row] = m;
}

void min_rows(const float* x, float* y, int64_t rows, int64_t cols) {
    if (rows > 0) min_kernel<<<(unsigned)((rows + 63) / 64), 64>>>(x, y, rows, cols);
}
