// control: negative
// contract: quantize_i8
// gate: CMP-01
// also: CMP-03, EXC-01, EXC-02, PRC-01, ORD-01
// fault: what is beyond a byte wraps around instead of saturating
#include <cuda_runtime.h>
#include <cstdint>

__global__ void quantize_kernel(const float* x, const float* scale, int8_t* y, int64_t n, int zero_point) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = (int8_t)(__float2int_rn(x[i] / *scale) + zero_point);
}

void quantize(const float* x, const float* scale, int8_t* y, int64_t n, int zero_point) {
    if (n > 0) quantize_kernel<<<(unsigned)((n + 127) / 128), 128>>>(x, scale, y, n, zero_point);
}
