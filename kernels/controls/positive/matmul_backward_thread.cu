// control: positive
// contract: matmul_backward
// where: m <= 64, n <= 64, k <= 64
#include <cuda_runtime.h>
#include <cstdint>

__global__ void left_gradient(const float* __restrict__ b, const float* __restrict__ dc, float* __restrict__ da,
                              int64_t m, int64_t n, int64_t k) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m * k) return;
    float acc = 0.f;
    for (int64_t j = 0; j < n; ++j) acc = fmaf(dc[e / k * n + j], b[e % k * n + j], acc);
    da[e] = acc;
}

__global__ void right_gradient(const float* __restrict__ a, const float* __restrict__ dc, float* __restrict__ db,
                               int64_t m, int64_t n, int64_t k) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= k * n) return;
    float acc = 0.f;
    for (int64_t i = 0; i < m; ++i) acc = fmaf(a[i * k + e / n], dc[i * n + e % n], acc);
    db[e] = acc;
}

void matmul_backward(const float* a, const float* b, const float* dc, float* da, float* db, int64_t m, int64_t n,
                     int64_t k) {
    if (m * k > 0) left_gradient<<<(unsigned)((m * k + 63) / 64), 64>>>(b, dc, da, m, n, k);
    if (k * n > 0) right_gradient<<<(unsigned)((k * n + 63) / 64), 64>>>(a, dc, db, m, n, k);
}
