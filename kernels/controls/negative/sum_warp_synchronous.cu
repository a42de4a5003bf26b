// control: negative
// contract: sum
// gate: RES-02
// also: ORD-02, CMP-01, CMP-02, CMP-03, ORD-01, ORD-03, EXC-01, EXC-02, PRC-02
// bind: solve(x, y, rows, cols)
// fault: the last warp of the tree reads what its other lanes wrote without __syncwarp, as was usual before Volta
#include <cuda_runtime.h>

#define THREADS 128

__device__ void warp_sum(volatile float* s, int t) {
    s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
}

__global__ void sum_kernel(const float* x, float* y, int cols) {
    __shared__ float s[THREADS];
    const float* row = x + (size_t)blockIdx.x * cols;
    float acc = 0.0f;
    for (int j = threadIdx.x; j < cols; j += THREADS) acc += row[j];
    s[threadIdx.x] = acc;
    __syncthreads();
    if (threadIdx.x < 64) s[threadIdx.x] += s[threadIdx.x + 64];
    __syncthreads();
    if (threadIdx.x < 32) warp_sum(s, threadIdx.x);
    if (threadIdx.x == 0) y[blockIdx.x] = s[0];
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (rows == 0) return;
    sum_kernel<<<rows, THREADS>>>(input, output, cols);
    cudaDeviceSynchronize();
}
