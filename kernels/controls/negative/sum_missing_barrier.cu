// control: negative
// contract: sum
// gate: ORD-02
// also: CMP-01, CMP-03, RES-02
// bind: solve(x, y, rows, cols)
// fault: no barrier between the steps of the tree reduction
#include <cuda_runtime.h>

#define THREADS 256

__global__ void sum_kernel(const float* input, float* output, int rows, int cols) {
    __shared__ float sdata[THREADS];
    int tid = threadIdx.x;
    const float* x = input + (size_t)blockIdx.x * cols;
    float acc = 0.0f;
    for (int i = tid; i < cols; i += THREADS) acc += x[i];
    sdata[tid] = acc;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (tid < s) {
            sdata[tid] += sdata[tid + s];
        }
    }
    __syncthreads();
    if (tid == 0) output[blockIdx.x] = sdata[0];
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (rows == 0) return;
    sum_kernel<<<rows, THREADS>>>(input, output, rows, cols);
    cudaDeviceSynchronize();
}
