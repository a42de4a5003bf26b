// control: positive
// contract: gelu
// bind: solve(x, y, n)
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

#define BLOCK_SIZE 256

__global__ void gelu_kernel(const float* input, float* output, int64_t N) {
    int64_t idx = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < N) {
        float x = input[idx];
        output[idx] = 0.5f * x * (1.0f + erff(x * 0.70710678118654752440f));
    }
}

// input, output are device pointers
extern "C" void solve(const float* input, float* output, int64_t N) {
    if (N == 0) return;
    int64_t blocks = N / BLOCK_SIZE + (N % BLOCK_SIZE != 0);
    gelu_kernel<<<(unsigned)blocks, BLOCK_SIZE>>>(input, output, N);
    cudaDeviceSynchronize();
}
