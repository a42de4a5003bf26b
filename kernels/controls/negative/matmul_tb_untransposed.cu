// control: negative
// contract: matmul_tb
// gate: CMP-01
// also: CMP-03, RES-01
// where: n == k
// fault: the second operand is read as if it were not transposed
#include <cuda_runtime.h>
#include <cstdint>

__global__ void matmul_tb_kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m * n) return;
    float acc = 0.f;
    for (int64_t p = 0; p < k; ++p) acc = fmaf(a[e / n * k + p], b[p * n + e % n], acc);
    c[e] = acc;
}

void matmul_tb(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
    if (m * n > 0) matmul_tb_kernel<<<(unsigned)((m * n + 63) / 64), 64>>>(a, b, c, m, n, k);
}
