// control: negative
// contract: matmul_fp8
// gate: CMP-01
// also: CMP-03, EXC-01, EXC-02, PRC-01, PRC-02, ORD-01, ORD-03
// fault: the first scale stands for both
#include <cuda_runtime.h>
#include <cuda_fp8.h>
#include <cstdint>

__global__ void fp8_gemm(const __nv_fp8_e4m3* a, const __nv_fp8_e4m3* b, const float* sa, float* y, int64_t m,
                         int64_t n, int64_t k) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m * n) return;
    float acc = 0.f;
    for (int64_t p = 0; p < k; ++p) acc = fmaf((float)a[e / n * k + p], (float)b[e % n * k + p], acc);
    y[e] = acc * *sa * *sa;
}

void scaled_mm(const __nv_fp8_e4m3* a, const __nv_fp8_e4m3* b, const float* sa, const float* sb, float* y, int64_t m,
               int64_t n, int64_t k) {
    if (m * n > 0) fp8_gemm<<<(unsigned)((m * n + 127) / 128), 128>>>(a, b, sa, y, m, n, k);
}
