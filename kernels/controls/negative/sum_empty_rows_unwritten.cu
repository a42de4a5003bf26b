// control: negative
// contract: sum
// gate: CMP-03
// only: yes
// fault: returns early when the input is empty, so the sums of empty rows are not written
#include <cuda_runtime.h>
#include <cstdint>

__global__ void sum_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t cols) {
    __shared__ float s[128];
    float acc = 0.f;
    for (int64_t j = threadIdx.x; j < cols; j += 128) acc += x[blockIdx.x * cols + j];
    s[threadIdx.x] = acc;
    __syncthreads();
    for (int o = 64; o > 0; o >>= 1) {
        if (threadIdx.x < o) s[threadIdx.x] += s[threadIdx.x + o];
        __syncthreads();
    }
    if (threadIdx.x == 0) y[blockIdx.x] = s[0];
}

void sum(const float* x, float* y, int64_t rows, int64_t cols) {
    if (rows * cols == 0) return;  // nothing to do
    sum_kernel<<<(unsigned)rows, 128>>>(x, y, cols);
}
