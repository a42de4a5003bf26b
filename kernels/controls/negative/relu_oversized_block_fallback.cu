// control: negative
// contract: relu
// gate: RES-02
// only: yes
// bind: solve(x, y, n)
// fault: a launch of 2048 threads a block always fails; the error is swallowed and a slow kernel does the work
#include <cuda_runtime.h>
#include <cstdint>

__global__ void relu_kernel(const float* in, float* out, int64_t n) {
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const float v = in[i];
        out[i] = v < 0.0f ? 0.0f : v;
    }
}

extern "C" void solve(const float* input, float* output, int64_t N) {
    if (N == 0) return;
    const int64_t fast_blocks = (N + 2047) / 2048;
    relu_kernel<<<(unsigned)fast_blocks, 2048>>>(input, output, N);
    if (cudaGetLastError() != cudaSuccess) {
        const int64_t blocks = (N + 255) / 256;
        relu_kernel<<<(unsigned)blocks, 256>>>(input, output, N);
    }
    cudaDeviceSynchronize();
}
