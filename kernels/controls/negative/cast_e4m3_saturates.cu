// control: negative
// contract: cast_e4m3
// gate: CMP-01
// also: CMP-03, EXC-01, EXC-02, PRC-01, ORD-01
// fault: what is beyond the range becomes 448 instead of NaN
#include <cuda_runtime.h>
#include <cuda_fp8.h>
#include <cstdint>

__global__ void to_e4m3(const float* x, __nv_fp8_e4m3* y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __nv_fp8_e4m3(x[i]);
}

void cast(const float* x, __nv_fp8_e4m3* y, int64_t n) {
    if (n > 0) to_e4m3<<<(unsigned)((n + 255) / 256), 256>>>(x, y, n);
}
