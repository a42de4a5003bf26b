// control: positive
// contract: logsumexp
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>

__device__ __forceinline__ float up(float v) { return v; }
__device__ __forceinline__ float up(__half v) { return __half2float(v); }
__device__ __forceinline__ void down(float* p, float v) { *p = v; }
__device__ __forceinline__ void down(__half* p, float v) { *p = __float2half(v); }

// The maximum is subtracted only where it is finite: Inf - Inf would be NaN. A NaN of the row reaches the sum.
template <typename T>
__global__ void logsumexp_kernel(const T* __restrict__ x, T* __restrict__ y, int64_t rows, int64_t cols) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float m = -INFINITY;
    for (int64_t j = threadIdx.x; j < cols; j += 32) m = fmaxf(m, up(x[row * cols + j]));
    for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
    if (isinf(m)) m = 0.f;
    float s = 0.f;
    for (int64_t j = threadIdx.x; j < cols; j += 32) s += expf(up(x[row * cols + j]) - m);
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    if (threadIdx.x == 0) down(y + row, logf(s) + m);
}

void logsumexp(const float* x, float* y, int64_t rows, int64_t cols) {
    if (rows > 0) logsumexp_kernel<<<(unsigned)((rows + 3) / 4), dim3(32, 4)>>>(x, y, rows, cols);
}
void logsumexp(const __half* x, __half* y, int64_t rows, int64_t cols) {
    if (rows > 0) logsumexp_kernel<<<(unsigned)((rows + 3) / 4), dim3(32, 4)>>>(x, y, rows, cols);
}
