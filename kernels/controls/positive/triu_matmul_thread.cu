// control: positive
// contract: triu_matmul
#include <cuda_runtime.h>
#include <cstdint>

// Zeros below the diagonal take part, as in a dense product.
__global__ void triu_matmul_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                                   int64_t n) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= n * n) return;
    const int64_t i = e / n, j = e % n;
    float acc = 0.f;
    for (int64_t p = 0; p < n; ++p)
        acc = fmaf(p < i ? 0.f : a[i * n + p], j < p ? 0.f : b[p * n + j], acc);
    c[e] = acc;
}

void triu_matmul(const float* a, const float* b, float* c, int64_t n) {
    if (n > 0) triu_matmul_kernel<<<(unsigned)((n * n + 63) / 64), 64>>>(a, b, c, n);
}
