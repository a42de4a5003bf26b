// control: positive
// contract: relu
// bind: solve(x, y, n)
#include <cuda_runtime.h>
#include <cstdint>

__global__ void relu_kernel(const float* __restrict__ input, float* __restrict__ output, int64_t n) {
    const int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        const float v = input[i];
        // Written so that a NaN takes the second branch and survives.
        output[i] = v < 0.0f ? 0.0f : v;
    }
}

extern "C" void solve(const float* input, float* output, int64_t N) {
    if (N <= 0) return;
    const int threads = 256;
    const int64_t wanted = (N + threads - 1) / threads;
    const int blocks = (int)(wanted < 4096 ? wanted : 4096);
    relu_kernel<<<blocks, threads>>>(input, output, N);
    cudaDeviceSynchronize();
}
