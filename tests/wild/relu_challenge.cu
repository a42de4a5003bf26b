// contract: relu
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* input, float* output, int N) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < N) {
        float v = input[idx];
        output[idx] = v < 0.0f ? 0.0f : v;  // keeps NaN
    }
}

// input, output are device pointers
extern "C" void solve(const float* input, float* output, int N) {
    if (N == 0) return;
    int threadsPerBlock = 256;
    int blocksPerGrid = (N + threadsPerBlock - 1) / threadsPerBlock;

    relu_kernel<<<blocksPerGrid, threadsPerBlock>>>(input, output, N);
    cudaDeviceSynchronize();
}
