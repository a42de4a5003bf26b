// control: positive
// contract: diag_matmul
#include <cuda_runtime.h>
#include <cstdint>

__global__ void diag_matmul_kernel(const float* __restrict__ d, const float* __restrict__ b, float* __restrict__ c,
                                   int64_t n) {
    const float factor = d[blockIdx.x];
    const int64_t row = (int64_t)blockIdx.x * n;
    for (int64_t j = threadIdx.x; j < n; j += blockDim.x) c[row + j] = factor * b[row + j];
}

void diag_matmul(const float* d, const float* b, float* c, int64_t m, int64_t n) {
    if (m > 0 && n > 0) diag_matmul_kernel<<<(unsigned)m, 64>>>(d, b, c, n);
}
