// control: negative
// contract: matmul_fp8_e5m2
// gate: CMP-01
// also: CMP-03, EXC-01, EXC-02, PRC-01, PRC-02, ORD-01, ORD-03
// fault: both operands are read as e4m3
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cstdint>

__device__ __forceinline__ float value(uint8_t bits) {
    return __half2float(__half(__nv_cvt_fp8_to_halfraw(bits, __NV_E4M3)));
}

__global__ void grad_gemm(const uint8_t* a, const uint8_t* b, const float* sa, const float* sb, float* y, int64_t m,
                          int64_t n, int64_t k) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m * n) return;
    float acc = 0.f;
    for (int64_t p = 0; p < k; ++p) acc = fmaf(value(a[e / n * k + p]), value(b[e % n * k + p]), acc);
    y[e] = acc * *sa * *sb;
}

void grad_mm(const uint8_t* a, const uint8_t* b, const float* sa, const float* sb, float* y, int64_t m, int64_t n,
             int64_t k) {
    if (m * n > 0) grad_gemm<<<(unsigned)((m * n + 127) / 128), 128>>>(a, b, sa, sb, y, m, n, k);
}
