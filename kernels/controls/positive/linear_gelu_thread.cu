// control: positive
// contract: linear_gelu
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>

__device__ __forceinline__ float up(float v) { return v; }
__device__ __forceinline__ float up(__half v) { return __half2float(v); }
__device__ __forceinline__ void down(float* p, float v) { *p = v; }
__device__ __forceinline__ void down(__half* p, float v) { *p = __float2half(v); }

template <typename T>
__global__ void linear_gelu_kernel(const T* __restrict__ x, const T* __restrict__ w, const T* __restrict__ b,
                                   T* __restrict__ y, int64_t m, int64_t n, int64_t k) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m * n) return;
    const int64_t i = e / n, j = e % n;
    float acc = 0.f;
    for (int64_t p = 0; p < k; ++p) acc = fmaf(up(x[i * k + p]), up(w[j * k + p]), acc);
    const float h = acc + up(b[j]);
    down(y + e, h * 0.5f * (1.f + erff(h * 0.70710678118654752f)));
}

void linear_gelu(const float* x, const float* w, const float* b, float* y, int64_t m, int64_t n, int64_t k) {
    if (m * n > 0) linear_gelu_kernel<<<(unsigned)((m * n + 63) / 64), 64>>>(x, w, b, y, m, n, k);
}
void linear_gelu(const __half* x, const __half* w, const __half* b, __half* y, int64_t m, int64_t n, int64_t k) {
    if (m * n > 0) linear_gelu_kernel<<<(unsigned)((m * n + 63) / 64), 64>>>(x, w, b, y, m, n, k);
}
