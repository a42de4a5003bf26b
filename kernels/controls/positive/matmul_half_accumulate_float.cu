// control: positive
// contract: matmul
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdint>

__device__ __forceinline__ float up(__half v) { return __half2float(v); }
__device__ __forceinline__ float up(__nv_bfloat16 v) { return __bfloat162float(v); }
__device__ __forceinline__ void down(__half* p, float v) { *p = __float2half(v); }
__device__ __forceinline__ void down(__nv_bfloat16* p, float v) { *p = __float2bfloat16(v); }

// 16-bit operands, products and sums in float, one rounding at the end.
template <typename T, int kTile>
__global__ void matmul16(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c, int64_t m, int64_t n,
                         int64_t k) {
    __shared__ float sa[kTile][kTile + 1];
    __shared__ float sb[kTile][kTile + 1];
    const int64_t across = (n + kTile - 1) / kTile;
    const int64_t i = blockIdx.x / across * kTile + threadIdx.y;
    const int64_t j = blockIdx.x % across * kTile + threadIdx.x;
    float acc = 0.f;
    for (int64_t p0 = 0; p0 < k; p0 += kTile) {
        if (i < m && p0 + threadIdx.x < k) sa[threadIdx.y][threadIdx.x] = up(a[i * k + p0 + threadIdx.x]);
        if (j < n && p0 + threadIdx.y < k) sb[threadIdx.y][threadIdx.x] = up(b[(p0 + threadIdx.y) * n + j]);
        __syncthreads();
        const int left = (int)(k - p0 < kTile ? k - p0 : kTile);
        if (i < m && j < n)
            for (int p = 0; p < left; ++p) acc = fmaf(sa[threadIdx.y][p], sb[p][threadIdx.x], acc);
        __syncthreads();
    }
    if (i < m && j < n) down(c + i * n + j, acc);
}

template <typename T>
static void launch(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k) {
    constexpr int kTile = 16;
    const int64_t blocks = ((m + kTile - 1) / kTile) * ((n + kTile - 1) / kTile);
    if (blocks == 0) return;
    matmul16<T, kTile><<<(unsigned)blocks, dim3(kTile, kTile)>>>(a, b, c, m, n, k);
}

void matmul(const __half* a, const __half* b, __half* c, int64_t m, int64_t n, int64_t k) { launch(a, b, c, m, n, k); }
void matmul(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int64_t m, int64_t n, int64_t k) {
    launch(a, b, c, m, n, k);
}
