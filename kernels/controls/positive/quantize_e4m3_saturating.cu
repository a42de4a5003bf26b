// control: positive
// contract: quantize_e4m3
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cstdint>

__device__ __forceinline__ float up(float v) { return v; }
__device__ __forceinline__ float up(__nv_bfloat16 v) { return __bfloat162float(v); }

// The constructor saturates.
template <typename T>
__global__ void quantize_kernel(const T* __restrict__ x, const float* __restrict__ scale, __nv_fp8_e4m3* __restrict__ y,
                                int64_t n) {
    const float inverse = 1.f / *scale;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x)
        y[i] = __nv_fp8_e4m3(up(x[i]) * inverse);
}

void quantize(const float* x, const float* scale, __nv_fp8_e4m3* y, int64_t n) {
    const int64_t blocks = (n + 127) / 128;
    if (n > 0) quantize_kernel<<<(unsigned)(blocks < 1024 ? blocks : 1024), 128>>>(x, scale, y, n);
}
void quantize(const __nv_bfloat16* x, const float* scale, __nv_fp8_e4m3* y, int64_t n) {
    const int64_t blocks = (n + 127) / 128;
    if (n > 0) quantize_kernel<<<(unsigned)(blocks < 1024 ? blocks : 1024), 128>>>(x, scale, y, n);
}
