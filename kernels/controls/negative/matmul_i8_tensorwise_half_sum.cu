// control: negative
// contract: matmul_i8_tensorwise
// gate: CMP-01
// also: CMP-03, EXC-01, EXC-02, PRC-01, PRC-02, ORD-01, ORD-03
// fault: the integer sum becomes a half before the scale, which rounds it or leaves the range
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>

__global__ void int8_gemm(const int8_t* a, const int8_t* b, const float* scale, __half* y, int64_t m, int64_t n,
                          int64_t k) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m * n) return;
    int acc = 0;
    for (int64_t p = 0; p < k; ++p) acc += a[e / n * k + p] * b[e % n * k + p];
    y[e] = __hmul(__int2half_rn(acc), __float2half(*scale));
}

void int8_linear(const int8_t* a, const int8_t* b, const float* scale, __half* y, int64_t m, int64_t n, int64_t k) {
    if (m * n > 0) int8_gemm<<<(unsigned)((m * n + 63) / 64), 64>>>(a, b, scale, y, m, n, k);
}
