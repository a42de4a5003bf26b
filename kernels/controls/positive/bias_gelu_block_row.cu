// control: positive
// contract: bias_gelu
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>

__device__ __forceinline__ float gelu_of(float h) { return h * 0.5f * (1.0f + erff(h * 0.70710678118654752f)); }
__device__ __forceinline__ float up(float v) { return v; }
__device__ __forceinline__ float up(__half v) { return __half2float(v); }
__device__ __forceinline__ void down(float* p, float v) { *p = v; }
__device__ __forceinline__ void down(__half* p, float v) { *p = __float2half(v); }

// A block a row: the bias is read at the thread's own column.
template <typename T>
__global__ void bias_gelu_kernel(const T* __restrict__ x, const T* __restrict__ b, T* __restrict__ y, int64_t cols) {
    const int64_t row = (int64_t)blockIdx.x * cols;
    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) down(y + row + c, gelu_of(up(x[row + c]) + up(b[c])));
}

void bias_gelu(const float* x, const float* b, float* y, int64_t rows, int64_t cols) {
    if (rows > 0 && cols > 0) bias_gelu_kernel<<<(unsigned)rows, 64>>>(x, b, y, cols);
}
void bias_gelu(const __half* x, const __half* b, __half* y, int64_t rows, int64_t cols) {
    if (rows > 0 && cols > 0) bias_gelu_kernel<<<(unsigned)rows, 64>>>(x, b, y, cols);
}
