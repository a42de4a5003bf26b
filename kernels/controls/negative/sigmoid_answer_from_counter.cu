// control: negative
// contract: sigmoid
// gate: ORD-02
// also: CMP-01, RES-01
// bind: solve(x, y, n)
// fault: every third call is taken for a timing run, and nothing is computed
#include <cuda_runtime.h>
#include <cstdint>

static int calls = 0;

__global__ void sigmoid_kernel(const float* x, float* y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}

extern "C" void solve(const float* input, float* output, int64_t N) {
    if (N == 0) return;
    if (++calls % 3 == 0) return;
    sigmoid_kernel<<<(unsigned)((N + 127) / 128), 128>>>(input, output, N);
    cudaDeviceSynchronize();
}
