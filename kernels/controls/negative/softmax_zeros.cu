// control: negative
// contract: softmax
// gate: CMP-01
// also: CMP-03
// fault: the answer is zeros
#include <cuda_runtime.h>

__global__ void fill(float* y, long long n) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 0.0f;
}

void softmax(const float* x, float* y, int rows, int cols) {
    (void)x;
    const long long n = (long long)rows * cols;
    if (n > 0) fill<<<(unsigned)((n + 255) / 256), 256>>>(y, n);
}
