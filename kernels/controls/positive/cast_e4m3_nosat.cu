// control: positive
// contract: cast_e4m3
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cstdint>

__device__ __forceinline__ float up(float v) { return v; }
__device__ __forceinline__ float up(__half v) { return __half2float(v); }
__device__ __forceinline__ float up(__nv_bfloat16 v) { return __bfloat162float(v); }

template <typename T>
__global__ void to_e4m3(const T* __restrict__ x, __nv_fp8_e4m3* __restrict__ y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i].__x = __nv_cvt_float_to_fp8(up(x[i]), __NV_NOSAT, __NV_E4M3);
}

void cast(const float* x, __nv_fp8_e4m3* y, int64_t n) {
    if (n > 0) to_e4m3<<<(unsigned)((n + 255) / 256), 256>>>(x, y, n);
}
void cast(const __half* x, __nv_fp8_e4m3* y, int64_t n) {
    if (n > 0) to_e4m3<<<(unsigned)((n + 255) / 256), 256>>>(x, y, n);
}
void cast(const __nv_bfloat16* x, __nv_fp8_e4m3* y, int64_t n) {
    if (n > 0) to_e4m3<<<(unsigned)((n + 255) / 256), 256>>>(x, y, n);
}
