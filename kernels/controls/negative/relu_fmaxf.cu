// control: negative
// contract: relu
// gate: EXC-01
// only: yes
// bind: solve(x, y, n)
// fault: fmaxf(0, x) turns a NaN into 0
#include <cuda_runtime.h>
#include <cstdint>

__global__ void relu_kernel(const float* input, float* output, int64_t N) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        output[i] = fmaxf(0.0f, input[i]);
    }
}

extern "C" void solve(const float* input, float* output, int64_t N) {
    if (N == 0) return;
    int threadsPerBlock = 256;
    int64_t blocksPerGrid = (N + threadsPerBlock - 1) / threadsPerBlock;
    relu_kernel<<<(unsigned)blocksPerGrid, threadsPerBlock>>>(input, output, N);
    cudaDeviceSynchronize();
}
