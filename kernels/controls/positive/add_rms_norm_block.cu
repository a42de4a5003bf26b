// control: positive
// contract: add_rms_norm
// bind: add_rms_norm(x, residual, w, y, s, rows, cols, eps)
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>

constexpr int kThreads = 64;

__device__ __forceinline__ float up(float v) { return v; }
__device__ __forceinline__ float up(__half v) { return __half2float(v); }
__device__ __forceinline__ void down(float* p, float v) { *p = v; }
__device__ __forceinline__ void down(__half* p, float v) { *p = __float2half(v); }

// The sum is stored once and read back, so that the norm sees what the next layer will.
template <typename T>
__global__ void add_rms_norm_kernel(const T* __restrict__ x, const T* __restrict__ residual, const T* __restrict__ w,
                                    T* __restrict__ y, T* s, int64_t cols, float eps) {
    __shared__ float part[kThreads];
    const int64_t row = (int64_t)blockIdx.x * cols;
    float q = 0.f;
    for (int64_t j = threadIdx.x; j < cols; j += kThreads) {
        down(s + row + j, up(x[row + j]) + up(residual[row + j]));
        const float h = up(s[row + j]);
        q += h * h;
    }
    part[threadIdx.x] = q;
    __syncthreads();
    for (int k = kThreads / 2; k > 0; k >>= 1) {
        if (threadIdx.x < k) part[threadIdx.x] += part[threadIdx.x + k];
        __syncthreads();
    }
    const float scale = rsqrtf(part[0] / (float)cols + eps);
    for (int64_t j = threadIdx.x; j < cols; j += kThreads) down(y + row + j, up(s[row + j]) * scale * up(w[j]));
}

void add_rms_norm(const float* x, const float* residual, const float* w, float* y, float* s, int64_t rows,
                  int64_t cols, float eps) {
    if (rows > 0) add_rms_norm_kernel<<<(unsigned)rows, kThreads>>>(x, residual, w, y, s, cols, eps);
}
void add_rms_norm(const __half* x, const __half* residual, const __half* w, __half* y, __half* s, int64_t rows,
                  int64_t cols, float eps) {
    if (rows > 0) add_rms_norm_kernel<<<(unsigned)rows, kThreads>>>(x, residual, w, y, s, cols, eps);
}
