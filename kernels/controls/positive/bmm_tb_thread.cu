// control: positive
// contract: bmm_tb
#include <cuda_runtime.h>
#include <cstdint>

__global__ void bmm_tb_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                              int64_t bs, int64_t m, int64_t n, int64_t k) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= bs * m * n) return;
    const int64_t j = e % n, i = e / n % m, s = e / n / m;
    float acc = 0.f;
    for (int64_t p = 0; p < k; ++p) acc = fmaf(a[(s * m + i) * k + p], b[(s * n + j) * k + p], acc);
    c[e] = acc;
}

void bmm_tb(const float* a, const float* b, float* c, int64_t bs, int64_t m, int64_t n, int64_t k) {
    if (bs * m * n > 0) bmm_tb_kernel<<<(unsigned)((bs * m * n + 63) / 64), 64>>>(a, b, c, bs, m, n, k);
}
