// control: negative
// contract: addmm
// gate: CMP-01
// also: CMP-03, ORD-01
// bind: addmm(c, a, b, y, m, n, k, alpha, beta)
// fault: alpha multiplies the old matrix, too
#include <cuda_runtime.h>
#include <cstdint>

__global__ void addmm_kernel(const float* c, const float* a, const float* b, float* y, int64_t m, int64_t n, int64_t k,
                             float alpha, float beta) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m * n) return;
    float acc = beta == 0.f ? 0.f : beta * c[e];
    for (int64_t p = 0; p < k; ++p) acc = fmaf(a[e / n * k + p], b[p * n + e % n], acc);
    y[e] = alpha * acc;
}

void addmm(const float* c, const float* a, const float* b, float* y, int64_t m, int64_t n, int64_t k, float alpha,
           float beta) {
    if (m * n > 0) addmm_kernel<<<(unsigned)((m * n + 63) / 64), 64>>>(c, a, b, y, m, n, k, alpha, beta);
}
