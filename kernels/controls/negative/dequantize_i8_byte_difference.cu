// control: negative
// contract: dequantize_i8
// gate: CMP-01
// also: CMP-03, EXC-01, EXC-02, PRC-01, ORD-01
// fault: the difference from the zero point is a byte, which wraps around
#include <cuda_runtime.h>
#include <cstdint>

__global__ void dequantize_kernel(const int8_t* x, const float* scale, float* y, int64_t n, int zero_point) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = (float)(int8_t)(x[i] - zero_point) * *scale;
}

void dequantize(const int8_t* x, const float* scale, float* y, int64_t n, int zero_point) {
    if (n > 0) dequantize_kernel<<<(unsigned)((n + 127) / 128), 128>>>(x, scale, y, n, zero_point);
}
