// control: negative
// contract: matmul
// gate: PRC-02
// also: PRC-01
// fault: the bfloat16 version rounds the running sum to bfloat16 after every product
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cstdint>

__global__ void matmul_f32(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m * n) return;
    float acc = 0.0f;
    for (int64_t p = 0; p < k; ++p) acc += a[e / n * k + p] * b[p * n + e % n];
    c[e] = acc;
}

__global__ void matmul_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int64_t m, int64_t n,
                            int64_t k) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m * n) return;
    __nv_bfloat16 acc = __float2bfloat16(0.0f);
    for (int64_t p = 0; p < k; ++p) {
        const float product = __bfloat162float(a[e / n * k + p]) * __bfloat162float(b[p * n + e % n]);
        acc = __float2bfloat16(__bfloat162float(acc) + product);
    }
    c[e] = acc;
}

void matmul(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
    if (m * n > 0) matmul_f32<<<(unsigned)((m * n + 127) / 128), 128>>>(a, b, c, m, n, k);
}
void matmul(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int64_t m, int64_t n, int64_t k) {
    if (m * n > 0) matmul_bf16<<<(unsigned)((m * n + 127) / 128), 128>>>(a, b, c, m, n, k);
}
