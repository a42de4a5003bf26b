// control: positive
// contract: quantize_i8
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>

__device__ __forceinline__ float up(float v) { return v; }
__device__ __forceinline__ float up(__half v) { return __half2float(v); }

// Saturated as a float: what is converted fits.
template <typename T>
__global__ void quantize_kernel(const T* __restrict__ x, const float* __restrict__ scale, int8_t* __restrict__ y,
                                int64_t n, int zero_point) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float q = rintf(up(x[i]) / *scale) + (float)zero_point;
    y[i] = (int8_t)fminf(fmaxf(q, -128.f), 127.f);
}

void quantize(const float* x, const float* scale, int8_t* y, int64_t n, int zero_point) {
    if (n > 0) quantize_kernel<<<(unsigned)((n + 127) / 128), 128>>>(x, scale, y, n, zero_point);
}
void quantize(const __half* x, const float* scale, int8_t* y, int64_t n, int zero_point) {
    if (n > 0) quantize_kernel<<<(unsigned)((n + 127) / 128), 128>>>(x, scale, y, n, zero_point);
}
