// control: negative
// contract: matmul_i8
// gate: CMP-01
// also: CMP-03, PRC-02, EXC-02, ORD-01, ORD-03
// fault: the second operand is read as unsigned bytes
#include <cuda_runtime.h>
#include <cstdint>

__global__ void matmul_i8_kernel(const int8_t* a, const int8_t* b, int32_t* c, int64_t m, int64_t n, int64_t k) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m * n) return;
    const int64_t i = e / n, j = e % n;
    int acc = 0;
    for (int64_t p = 0; p < k; ++p) acc += a[i * k + p] * (int)(uint8_t)b[p * n + j];
    c[e] = acc;
}

void matmul_i8(const int8_t* a, const int8_t* b, int32_t* c, int64_t m, int64_t n, int64_t k) {
    if (m * n > 0) matmul_i8_kernel<<<(unsigned)((m * n + 127) / 128), 128>>>(a, b, c, m, n, k);
}
