// Helpers shared by the linear layers beside it.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace wild {

template <typename T>
__host__ __device__ constexpr T ceil_div(T a, T b) {
    return (a + b - 1) / b;
}

enum class Activation : int { kNone = 0, kRelu = 1, kGelu = 2 };

template <Activation act>
__device__ __forceinline__ float activate(float v) {
    if constexpr (act == Activation::kRelu) return v < 0.f ? 0.f : v;
    else if constexpr (act == Activation::kGelu) return 0.5f * v * (1.f + erff(v * 0.70710678f));
    else return v;
}

// y[m, n] = act(x[m, k] * w[n, k]^T + bias[n])
template <Activation act, int kTile = 16>
__global__ void linear_kernel(const float* __restrict__ x, const float* __restrict__ w, const float* __restrict__ bias,
                              float* __restrict__ y, int64_t m, int64_t n, int64_t k) {
    __shared__ float xs[kTile][kTile + 1], ws[kTile][kTile + 1];
    const int64_t tiles_n = ceil_div<int64_t>(n, kTile);
    const int64_t row0 = blockIdx.x / tiles_n * kTile, col0 = blockIdx.x % tiles_n * kTile;
    const int tx = threadIdx.x, ty = threadIdx.y;
    float acc = 0.f;
    for (int64_t p = 0; p < k; p += kTile) {
        xs[ty][tx] = row0 + ty < m && p + tx < k ? x[(row0 + ty) * k + p + tx] : 0.f;
        ws[ty][tx] = col0 + ty < n && p + tx < k ? w[(col0 + ty) * k + p + tx] : 0.f;
        __syncthreads();
#pragma unroll
        for (int q = 0; q < kTile; ++q) acc += xs[ty][q] * ws[tx][q];
        __syncthreads();
    }
    if (row0 + ty < m && col0 + tx < n) y[(row0 + ty) * n + col0 + tx] = activate<act>(acc + bias[col0 + tx]);
}

template <Activation act>
inline void launch_linear(const float* x, const float* w, const float* bias, float* y, int64_t m, int64_t n, int64_t k,
                          cudaStream_t stream) {
    const int64_t blocks = ceil_div<int64_t>(m, 16) * ceil_div<int64_t>(n, 16);
    if (blocks > 0) linear_kernel<act><<<static_cast<unsigned>(blocks), dim3(16, 16), 0, stream>>>(x, w, bias, y, m, n, k);
}

}  // namespace wild
