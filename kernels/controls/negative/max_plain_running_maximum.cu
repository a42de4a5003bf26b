// control: negative
// contract: max
// gate: RES-02
// only: yes
// bind: solve(x, y, rows, cols)
// fault: all threads of a block raise one shared maximum without atomics: a larger one may be overwritten
#include <cuda_runtime.h>
#include <math.h>

#define THREADS 128

__device__ __forceinline__ float nan_max(float a, float b) {
    return (a > b || a != a) ? a : b;
}

__global__ void row_max(const float* __restrict__ in, float* __restrict__ out, int cols) {
    __shared__ float best;
    const float* row = in + (size_t)blockIdx.x * cols;
    if (threadIdx.x == 0) best = -INFINITY;
    float m = -INFINITY;
    for (int j = threadIdx.x; j < cols; j += THREADS) m = nan_max(m, row[j]);
    __syncthreads();
    if (threadIdx.x < cols) best = nan_max(best, m);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = best;
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (rows == 0) return;
    row_max<<<rows, THREADS>>>(input, output, cols);
    cudaDeviceSynchronize();
}
