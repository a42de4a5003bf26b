// control: negative
// contract: quantize_i8
// gate: CMP-01
// also: CMP-03, EXC-01, EXC-02, ORD-01, RES-01
// fault: halves are rounded away from zero, not to even
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>

__global__ void quantize_kernel(const __half* x, const float* scale, int8_t* y, int64_t n, int zero_point) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float q = roundf(__half2float(x[i]) / *scale) + (float)zero_point;
    y[i] = (int8_t)fminf(fmaxf(q, -128.f), 127.f);
}

void quantize(const __half* x, const float* scale, int8_t* y, int64_t n, int zero_point) {
    if (n > 0) quantize_kernel<<<(unsigned)((n + 127) / 128), 128>>>(x, scale, y, n, zero_point);
}
