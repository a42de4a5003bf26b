// control: negative
// contract: dequantize_e4m3
// gate: CMP-01
// also: CMP-03, EXC-01, EXC-02, PRC-01, ORD-01
// fault: the highest exponent is taken for infinity, as in IEEE formats: 256 to 448 are lost
#include <cuda_runtime.h>
#include <cuda_fp8.h>
#include <cstdint>

__device__ __forceinline__ float value(unsigned char bits) {
    const int exponent = bits >> 3 & 15, fraction = bits & 7;
    float size = exponent ? ldexpf((float)(8 + fraction), exponent - 10) : ldexpf((float)fraction, -9);
    if (exponent == 15) size = fraction == 7 ? nanf("") : __int_as_float(0x7f800000);
    return bits & 0x80 ? -size : size;
}

__global__ void dequantize_kernel(const unsigned char* x, const float* scale, float* y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = value(x[i]) * *scale;
}

void dequantize(const unsigned char* x, const float* scale, float* y, int64_t n) {
    if (n > 0) dequantize_kernel<<<(unsigned)((n + 255) / 256), 256>>>(x, scale, y, n);
}
