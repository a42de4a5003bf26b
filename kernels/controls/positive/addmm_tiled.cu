// control: positive
// contract: addmm
// bind: addmm(c, a, b, y, m, n, k, alpha, beta)
#include <cuda_runtime.h>
#include <cstdint>

constexpr int kTile = 8;

// Tiles in shared memory; what lies outside of the matrices is 0 on both sides, never beside an infinity.
__global__ void addmm_kernel(const float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b,
                             float* __restrict__ y, int64_t m, int64_t n, int64_t k, float alpha, float beta) {
    __shared__ float sa[kTile][kTile], sb[kTile][kTile];
    const int64_t across = (n + kTile - 1) / kTile;
    const int64_t i = blockIdx.x / across * kTile + threadIdx.y;
    const int64_t j = blockIdx.x % across * kTile + threadIdx.x;
    float acc = 0.f;
    for (int64_t p0 = 0; p0 < k; p0 += kTile) {
        if (i < m && p0 + threadIdx.x < k) sa[threadIdx.y][threadIdx.x] = a[i * k + p0 + threadIdx.x];
        if (j < n && p0 + threadIdx.y < k) sb[threadIdx.y][threadIdx.x] = b[(p0 + threadIdx.y) * n + j];
        __syncthreads();
        const int left = k - p0 < kTile ? (int)(k - p0) : kTile;
        if (i < m && j < n)
            for (int p = 0; p < left; ++p) acc = fmaf(sa[threadIdx.y][p], sb[p][threadIdx.x], acc);
        __syncthreads();
    }
    if (i < m && j < n) y[i * n + j] = beta == 0.f ? alpha * acc : beta * c[i * n + j] + alpha * acc;
}

void addmm(const float* c, const float* a, const float* b, float* y, int64_t m, int64_t n, int64_t k, float alpha,
           float beta) {
    const int64_t blocks = ((m + kTile - 1) / kTile) * ((n + kTile - 1) / kTile);
    if (blocks > 0) addmm_kernel<<<(unsigned)blocks, dim3(kTile, kTile)>>>(c, a, b, y, m, n, k, alpha, beta);
}
