// control: positive
// contract: matmul_tab
#include <cuda_runtime.h>
#include <cstdint>

__global__ void matmul_tab_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                                  int64_t m, int64_t n, int64_t k) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m * n) return;
    float acc = 0.f;
    for (int64_t p = 0; p < k; ++p) acc = fmaf(a[p * m + e / n], b[e % n * k + p], acc);
    c[e] = acc;
}

void matmul_tab(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
    if (m * n > 0) matmul_tab_kernel<<<(unsigned)((m * n + 63) / 64), 64>>>(a, b, c, m, n, k);
}
