// control: positive
// contract: matmul_tb
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>

__device__ __forceinline__ float up(float v) { return v; }
__device__ __forceinline__ float up(__half v) { return __half2float(v); }
__device__ __forceinline__ void down(float* p, float v) { *p = v; }
__device__ __forceinline__ void down(__half* p, float v) { *p = __float2half(v); }

// Rows of both operands are contiguous: a warp takes the inner product of two.
template <typename T>
__global__ void matmul_tb_kernel(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c, int64_t m,
                                 int64_t n, int64_t k) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (e >= m * n) return;
    const T* u = a + e / n * k;
    const T* v = b + e % n * k;
    float acc = 0.f;
    for (int64_t p = threadIdx.x; p < k; p += 32) acc = fmaf(up(u[p]), up(v[p]), acc);
    for (int o = 16; o > 0; o >>= 1) acc += __shfl_xor_sync(0xffffffffu, acc, o);
    if (threadIdx.x == 0) down(c + e, acc);
}

void matmul_tb(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
    if (m * n > 0) matmul_tb_kernel<<<(unsigned)((m * n + 3) / 4), dim3(32, 4)>>>(a, b, c, m, n, k);
}
void matmul_tb(const __half* a, const __half* b, __half* c, int64_t m, int64_t n, int64_t k) {
    if (m * n > 0) matmul_tb_kernel<<<(unsigned)((m * n + 3) / 4), dim3(32, 4)>>>(a, b, c, m, n, k);
}
