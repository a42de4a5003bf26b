// control: positive
// contract: clamp
// bind: clamp(x, y, n, low, high)
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>

template <typename T>
__device__ __forceinline__ T clamp_one(T v, T low, T high) {
    if (v != v) return v;
    const T raised = v < low ? low : v;
    return raised > high ? high : raised;  // the upper bound last: it wins where the two are crossed
}

__global__ void clamp_kernel(const float* x, float* y, int64_t n, float low, float high) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = clamp_one(x[i], low, high);
}
__global__ void clamp_kernel(const double* x, double* y, int64_t n, double low, double high) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = clamp_one(x[i], low, high);
}
__global__ void clamp_kernel(const __half* x, __half* y, int64_t n, float low, float high) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __float2half(clamp_one(__half2float(x[i]), low, high));
}

void clamp(const float* x, float* y, int64_t n, float low, float high) {
    if (n > 0) clamp_kernel<<<(unsigned)((n + 127) / 128), 128>>>(x, y, n, low, high);
}
void clamp(const double* x, double* y, int64_t n, double low, double high) {
    if (n > 0) clamp_kernel<<<(unsigned)((n + 127) / 128), 128>>>(x, y, n, low, high);
}
void clamp(const __half* x, __half* y, int64_t n, float low, float high) {
    if (n > 0) clamp_kernel<<<(unsigned)((n + 127) / 128), 128>>>(x, y, n, low, high);
}
