// contract: cast_e4m3
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <cstdint>

// Past the range a plain conversion without saturation gives NaN.
__global__ void cast_kernel(const __nv_bfloat16* in, __nv_fp8_e4m3* out, int64_t n) {
    const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (i < n) {
        __nv_fp8_e4m3 v;
        v.__x = __nv_cvt_bfloat16raw_to_fp8(in[i], __NV_NOSAT, __NV_E4M3);
        out[i] = v;
    }
}

void cast_to_fp8(const __nv_bfloat16* in, __nv_fp8_e4m3* out, int64_t n, cudaStream_t stream) {
    if (n > 0) cast_kernel<<<(n + 255) / 256, 256, 0, stream>>>(in, out, n);
}
