// control: negative
// contract: sum
// gate: PRC-02
// also: PRC-01
// bind: row_sum(x, y, rows, cols)
// fault: the half version adds in half
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>

template <typename T> __device__ T zero();
template <> __device__ float zero<float>() { return 0.0f; }
template <> __device__ __half zero<__half>() { return __float2half(0.0f); }

__device__ inline float plus(float a, float b) { return a + b; }
__device__ inline __half plus(__half a, __half b) { return __hadd(a, b); }

template <typename T>
__global__ void row_sum_kernel(const T* x, T* y, int64_t cols) {
    __shared__ T partial[64];
    T acc = zero<T>();
    for (int64_t j = threadIdx.x; j < cols; j += 64) acc = plus(acc, x[blockIdx.x * cols + j]);
    partial[threadIdx.x] = acc;
    __syncthreads();
    for (int s = 32; s > 0; s >>= 1) {
        if (threadIdx.x < s) partial[threadIdx.x] = plus(partial[threadIdx.x], partial[threadIdx.x + s]);
        __syncthreads();
    }
    if (threadIdx.x == 0) y[blockIdx.x] = partial[0];
}

void row_sum(const float* x, float* y, int64_t rows, int64_t cols) {
    if (rows > 0) row_sum_kernel<<<(unsigned)rows, 64>>>(x, y, cols);
}
void row_sum(const __half* x, __half* y, int64_t rows, int64_t cols) {
    if (rows > 0) row_sum_kernel<<<(unsigned)rows, 64>>>(x, y, cols);
}
