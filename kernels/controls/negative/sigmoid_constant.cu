// control: negative
// contract: sigmoid
// gate: CMP-01
// also: CMP-03, EXC-01
// bind: solve(x, y, n)
// fault: the answer is 0.5 everywhere
#include <cuda_runtime.h>
#include <cstdint>

__global__ void sigmoid_kernel(const float* input, float* output, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) output[i] = 0.5f;
}

extern "C" void solve(const float* input, float* output, int64_t N) {
    if (N == 0) return;
    sigmoid_kernel<<<(unsigned)((N + 255) / 256), 256>>>(input, output, N);
    cudaDeviceSynchronize();
}
