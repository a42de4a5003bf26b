// control: positive
// contract: min
#include <cuda_runtime.h>
#include <cstdint>

__device__ __forceinline__ float smaller(float a, float b) { return a < b || a != a ? a : b; }

__global__ void min_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t cols) {
    __shared__ float part[64];
    const float* row = x + (int64_t)blockIdx.x * cols;
    float m = INFINITY;
    for (int64_t j = threadIdx.x; j < cols; j += 64) m = smaller(m, row[j]);
    part[threadIdx.x] = m;
    __syncthreads();
    for (int s = 32; s > 0; s >>= 1) {
        if (threadIdx.x < s) part[threadIdx.x] = smaller(part[threadIdx.x], part[threadIdx.x + s]);
        __syncthreads();
    }
    if (threadIdx.x == 0) y[blockIdx.x] = part[0];
}

void min_rows(const float* x, float* y, int64_t rows, int64_t cols) {
    if (rows > 0) min_kernel<<<(unsigned)rows, 64>>>(x, y, cols);
}
