// control: positive
// contract: matmul_i8_tensorwise
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdint>

__device__ __forceinline__ void put(float* p, float v) { *p = v; }
__device__ __forceinline__ void put(__half* p, float v) { *p = __float2half(v); }
__device__ __forceinline__ void put(__nv_bfloat16* p, float v) { *p = __float2bfloat16(v); }

// Four products an instruction where rows are words, one by one elsewhere.
template <typename T>
__global__ void int8_gemm(const signed char* __restrict__ a, const signed char* __restrict__ b,
                          const float* __restrict__ scale, T* __restrict__ y, int64_t m, int64_t n, int64_t k) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m * n) return;
    const signed char* x = a + e / n * k;
    const signed char* w = b + e % n * k;
    int acc = 0;
    if (k % 4 == 0) {
        const int* x4 = reinterpret_cast<const int*>(x);
        const int* w4 = reinterpret_cast<const int*>(w);
        for (int64_t p = 0; p < k / 4; ++p) acc = __dp4a(x4[p], w4[p], acc);
    } else {
        for (int64_t p = 0; p < k; ++p) acc += x[p] * w[p];
    }
    put(y + e, (float)acc * *scale);
}

template <typename T>
static void launch(const signed char* a, const signed char* b, const float* scale, T* y, int64_t m, int64_t n,
                   int64_t k) {
    if (m * n > 0) int8_gemm<<<(unsigned)((m * n + 63) / 64), 64>>>(a, b, scale, y, m, n, k);
}

void int8_linear(const signed char* a, const signed char* b, const float* scale, float* y, int64_t m, int64_t n,
                 int64_t k) {
    launch(a, b, scale, y, m, n, k);
}
void int8_linear(const signed char* a, const signed char* b, const float* scale, __half* y, int64_t m, int64_t n,
                 int64_t k) {
    launch(a, b, scale, y, m, n, k);
}
void int8_linear(const signed char* a, const signed char* b, const float* scale, __nv_bfloat16* y, int64_t m, int64_t n,
                 int64_t k) {
    launch(a, b, scale, y, m, n, k);
}
