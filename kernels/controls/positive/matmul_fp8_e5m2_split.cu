// control: positive
// contract: matmul_fp8_e5m2
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cstdint>

// Each row in four interleaved sums.
__global__ void grad_gemm(const __nv_fp8_e5m2* __restrict__ a, const __nv_fp8_e4m3* __restrict__ b,
                          const float* __restrict__ sa, const float* __restrict__ sb, __nv_bfloat16* __restrict__ y,
                          int64_t m, int64_t n, int64_t k) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m * n) return;
    const __nv_fp8_e5m2* x = a + e / n * k;
    const __nv_fp8_e4m3* w = b + e % n * k;
    float acc[4] = {0.f, 0.f, 0.f, 0.f};
    for (int64_t p = 0; p < k; p += 4)
        for (int q = 0; q < 4; ++q)
            if (p + q < k) acc[q] = fmaf(float(x[p + q]), float(w[p + q]), acc[q]);
    y[e] = __float2bfloat16(((acc[0] + acc[1]) + (acc[2] + acc[3])) * sa[0] * sb[0]);
}

void grad_mm(const __nv_fp8_e5m2* a, const __nv_fp8_e4m3* b, const float* sa, const float* sb, __nv_bfloat16* y,
             int64_t m, int64_t n, int64_t k) {
    if (m * n > 0) grad_gemm<<<(unsigned)((m * n + 63) / 64), 64>>>(a, b, sa, sb, y, m, n, k);
}
