// contract: matmul --where "m * n <= 2147483647, m * k <= 2147483647, k * n <= 2147483647"
// Double-buffered tiles, filled by asynchronous copies one step ahead.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <algorithm>

namespace gemm {

constexpr int kTile = 16;

__device__ __forceinline__ void fetch(float (*dst)[kTile], const float* src, int row0, int col0, int rows, int cols) {
    const int r = row0 + threadIdx.y, c = col0 + threadIdx.x;
    if (r < rows && c < cols)
        __pipeline_memcpy_async(&dst[threadIdx.y][threadIdx.x], src + (size_t)r * cols + c, sizeof(float));
    else
        dst[threadIdx.y][threadIdx.x] = 0.f;
}

__global__ void kernel(const float* A, const float* B, float* C, int m, int n, int k) {
    __shared__ __align__(16) float as[2][kTile][kTile], bs[2][kTile][kTile];
    const int tiles_n = (n + kTile - 1) / kTile;
    const int row0 = blockIdx.x / tiles_n * kTile, col0 = blockIdx.x % tiles_n * kTile;
    const int steps = (k + kTile - 1) / kTile;
    float acc = 0.f;

    if (steps > 0) {
        fetch(as[0], A, row0, 0, m, k);
        fetch(bs[0], B, 0, col0, k, n);
    }
    __pipeline_commit();
    for (int s = 0; s < steps; ++s) {
        const int now = s & 1, next = now ^ 1;
        if (s + 1 < steps) {
            fetch(as[next], A, row0, (s + 1) * kTile, m, k);
            fetch(bs[next], B, (s + 1) * kTile, col0, k, n);
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
#pragma unroll
        for (int p = 0; p < kTile; ++p) acc = fmaf(as[now][threadIdx.y][p], bs[now][p][threadIdx.x], acc);
        __syncthreads();
    }
    const int r = row0 + threadIdx.y, c = col0 + threadIdx.x;
    if (r < m && c < n) C[(size_t)r * n + c] = acc;
}

}  // namespace gemm

extern "C" void gemm_pipelined(float* C, const float* A, const float* B, int m, int n, int k, cudaStream_t stream) {
    const int blocks = ((m + 15) / 16) * ((n + 15) / 16);
    if (blocks) gemm::kernel<<<blocks, dim3(gemm::kTile, gemm::kTile), 0, stream>>>(A, B, C, m, n, k);
}
