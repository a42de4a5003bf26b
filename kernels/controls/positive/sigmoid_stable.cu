// control: positive
// contract: sigmoid
// bind: solve(x, y, n)
#include <cuda_runtime.h>
#include <cstdint>

__global__ void sigmoid_kernel(const float* X, float* Y, int64_t N) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float x = X[i];
        if (x >= 0.0f) {
            Y[i] = 1.0f / (1.0f + expf(-x));
        } else {
            // exp(x) cannot overflow on this side; NaN comes this way too.
            float e = expf(x);
            Y[i] = e / (1.0f + e);
        }
    }
}

extern "C" void solve(const float* X, float* Y, int64_t N) {
    if (N == 0) return;
    int threadsPerBlock = 256;
    int64_t blocksPerGrid = (N + threadsPerBlock - 1) / threadsPerBlock;
    sigmoid_kernel<<<(unsigned int)blocksPerGrid, threadsPerBlock>>>(X, Y, N);
    cudaDeviceSynchronize();
}
