// control: positive
// contract: linear
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cstdint>

__device__ __forceinline__ float up(float v) { return v; }
__device__ __forceinline__ float up(__nv_bfloat16 v) { return __bfloat162float(v); }
__device__ __forceinline__ void down(float* p, float v) { *p = v; }
__device__ __forceinline__ void down(__nv_bfloat16* p, float v) { *p = __float2bfloat16(v); }

// A warp an output: its lanes stride through the two rows.
template <typename T>
__global__ void linear_kernel(const T* __restrict__ x, const T* __restrict__ w, const T* __restrict__ b,
                              T* __restrict__ y, int64_t m, int64_t n, int64_t k) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (e >= m * n) return;
    const int64_t i = e / n, j = e % n;
    float acc = 0.f;
    for (int64_t p = threadIdx.x; p < k; p += 32) acc = fmaf(up(x[i * k + p]), up(w[j * k + p]), acc);
    for (int o = 16; o > 0; o >>= 1) acc += __shfl_xor_sync(0xffffffffu, acc, o);
    if (threadIdx.x == 0) down(y + e, acc + up(b[j]));
}

void linear(const float* x, const float* w, const float* b, float* y, int64_t m, int64_t n, int64_t k) {
    if (m * n > 0) linear_kernel<<<(unsigned)((m * n + 3) / 4), dim3(32, 4)>>>(x, w, b, y, m, n, k);
}
void linear(const __nv_bfloat16* x, const __nv_bfloat16* w, const __nv_bfloat16* b, __nv_bfloat16* y, int64_t m,
            int64_t n, int64_t k) {
    if (m * n > 0) linear_kernel<<<(unsigned)((m * n + 3) / 4), dim3(32, 4)>>>(x, w, b, y, m, n, k);
}
