// control: positive
// contract: matvec
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cstdint>

__device__ __forceinline__ float up(float v) { return v; }
__device__ __forceinline__ float up(__nv_bfloat16 v) { return __bfloat162float(v); }
__device__ __forceinline__ void down(float* p, float v) { *p = v; }
__device__ __forceinline__ void down(__nv_bfloat16* p, float v) { *p = __float2bfloat16(v); }

template <typename T>
__global__ void matvec_kernel(const T* __restrict__ a, const T* __restrict__ x, T* __restrict__ y, int64_t m,
                              int64_t k) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (i >= m) return;
    float acc = 0.f;
    for (int64_t p = threadIdx.x; p < k; p += 32) acc = fmaf(up(a[i * k + p]), up(x[p]), acc);
    for (int o = 16; o > 0; o >>= 1) acc += __shfl_xor_sync(0xffffffffu, acc, o);
    if (threadIdx.x == 0) down(y + i, acc);
}

void matvec(const float* a, const float* x, float* y, int64_t m, int64_t k) {
    if (m > 0) matvec_kernel<<<(unsigned)((m + 3) / 4), dim3(32, 4)>>>(a, x, y, m, k);
}
void matvec(const __nv_bfloat16* a, const __nv_bfloat16* x, __nv_bfloat16* y, int64_t m, int64_t k) {
    if (m > 0) matvec_kernel<<<(unsigned)((m + 3) / 4), dim3(32, 4)>>>(a, x, y, m, k);
}
