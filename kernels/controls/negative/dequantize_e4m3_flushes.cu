// control: negative
// contract: dequantize_e4m3
// gate: EXC-02
// also: CMP-01, CMP-03, EXC-01, PRC-01, ORD-01
// fault: subnormals become zeros
#include <cuda_runtime.h>
#include <cuda_fp8.h>
#include <cstdint>

__global__ void dequantize_kernel(const __nv_fp8_e4m3* x, const float* scale, float* y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float v = x[i].__x & 0x78 ? (float)x[i] : copysignf(0.f, (float)x[i]);
    y[i] = v * *scale;
}

void dequantize(const __nv_fp8_e4m3* x, const float* scale, float* y, int64_t n) {
    if (n > 0) dequantize_kernel<<<(unsigned)((n + 255) / 256), 256>>>(x, scale, y, n);
}
