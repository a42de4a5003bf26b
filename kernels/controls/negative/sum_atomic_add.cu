// control: negative
// contract: sum
// gate: ORD-02
// only: yes
// bind: solve(x, y, rows, cols)
// fault: float atomicAdd: the order of the additions, and so the last bits, differ between runs
#include <cuda_runtime.h>

__global__ void sum_atomic(const float* input, float* output, int cols) {
    const float* x = input + (size_t)blockIdx.x * cols;
    float acc = 0.0f;
    for (int j = threadIdx.x; j < cols; j += blockDim.x) acc += x[j];
    if (threadIdx.x == 0) output[blockIdx.x] = 0.0f;
    __syncthreads();
    if (threadIdx.x < cols) atomicAdd(&output[blockIdx.x], acc);
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (rows == 0) return;
    sum_atomic<<<rows, 64>>>(input, output, cols);
    cudaDeviceSynchronize();
}
