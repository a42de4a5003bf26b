// control: negative
// contract: cast_e5m2
// gate: CMP-01
// also: CMP-03, EXC-01, EXC-02, ORD-01
// fault: the lower byte of a half is dropped instead of rounded
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cstdint>

__global__ void to_e5m2(const __half* x, __nv_fp8_e5m2* y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i].__x = (unsigned char)(__half_as_ushort(x[i]) >> 8);
}

void cast(const __half* x, __nv_fp8_e5m2* y, int64_t n) {
    if (n > 0) to_e5m2<<<(unsigned)((n + 127) / 128), 128>>>(x, y, n);
}
