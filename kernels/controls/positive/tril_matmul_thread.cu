// control: positive
// contract: tril_matmul
#include <cuda_runtime.h>
#include <cstdint>

__global__ void tril_matmul_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                                   int64_t n) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= n * n) return;
    const int64_t i = e / n, j = e % n;
    float acc = 0.f;
    for (int64_t p = j; p <= i; ++p) acc = fmaf(a[i * n + p], b[p * n + j], acc);
    c[e] = acc;
}

void tril_matmul(const float* a, const float* b, float* c, int64_t n) {
    if (n > 0) tril_matmul_kernel<<<(unsigned)((n * n + 63) / 64), 64>>>(a, b, c, n);
}
