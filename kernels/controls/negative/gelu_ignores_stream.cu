// control: negative
// contract: gelu
// gate: RES-02
// only: yes
// bind: gelu(x, y, n, stream)
// fault: the work goes to the default stream, not to the one that the caller gave
#include <cuda_runtime.h>
#include <cstdint>

__global__ void gelu_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678118654752f));
}

void gelu(const float* x, float* y, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    gelu_kernel<<<(unsigned)((n + 255) / 256), 256>>>(x, y, n);
    (void)stream;
}
