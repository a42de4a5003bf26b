// control: negative
// contract: quantize_e4m3
// gate: CMP-01
// also: CMP-03, EXC-01, EXC-02, ORD-01
// fault: what is beyond the range becomes NaN instead of 448
#include <cuda_runtime.h>
#include <cuda_fp8.h>
#include <cstdint>

__global__ void quantize_kernel(const float* x, const float* scale, __nv_fp8_e4m3* y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i].__x = __nv_cvt_float_to_fp8(x[i] / *scale, __NV_NOSAT, __NV_E4M3);
}

void quantize(const float* x, const float* scale, __nv_fp8_e4m3* y, int64_t n) {
    if (n > 0) quantize_kernel<<<(unsigned)((n + 127) / 128), 128>>>(x, scale, y, n);
}
