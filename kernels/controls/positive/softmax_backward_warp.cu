// control: positive
// contract: softmax_backward
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdint>
#include <cmath>

__device__ inline float f(float v) { return v; }
__device__ inline float f(__half v) { return __half2float(v); }
__device__ inline float f(__nv_bfloat16 v) { return __bfloat162float(v); }
__device__ inline void put(float* p, float v) { *p = v; }
__device__ inline void put(__half* p, float v) { *p = __float2half(v); }
__device__ inline void put(__nv_bfloat16* p, float v) { *p = __float2bfloat16(v); }

__device__ inline float warp_max(float v) {
    for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
    return v;
}
__device__ inline float warp_sum(float v) {
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
    return v;
}

template <typename T>
__global__ void softmax_bwd(const T* __restrict__ x, const T* __restrict__ dy, T* __restrict__ dx, int64_t rows,
                            int64_t cols) {
    const int64_t row = blockIdx.x * (int64_t)blockDim.y + threadIdx.y;
    if (row >= rows) return;
    x += row * cols;
    dy += row * cols;
    dx += row * cols;
    float m = -INFINITY;
    for (int64_t j = threadIdx.x; j < cols; j += 32) m = fmaxf(m, f(x[j]));
    m = warp_max(m);
    float s = 0.f;
    for (int64_t j = threadIdx.x; j < cols; j += 32) s += expf(f(x[j]) - m);
    const float inv = 1.f / warp_sum(s);
    float dot = 0.f;
    for (int64_t j = threadIdx.x; j < cols; j += 32) dot += f(dy[j]) * (expf(f(x[j]) - m) * inv);
    dot = warp_sum(dot);
    for (int64_t j = threadIdx.x; j < cols; j += 32) put(dx + j, expf(f(x[j]) - m) * inv * (f(dy[j]) - dot));
}

template <typename T>
static void run(const T* x, const T* dy, T* dx, int64_t rows, int64_t cols) {
    if (rows == 0 || cols == 0) return;
    softmax_bwd<<<(unsigned)((rows + 3) / 4), dim3(32, 4)>>>(x, dy, dx, rows, cols);
}

void softmax_backward(const float* x, const float* dy, float* dx, int64_t rows, int64_t cols) { run(x, dy, dx, rows, cols); }
void softmax_backward(const __half* x, const __half* dy, __half* dx, int64_t rows, int64_t cols) { run(x, dy, dx, rows, cols); }
void softmax_backward(const __nv_bfloat16* x, const __nv_bfloat16* dy, __nv_bfloat16* dx, int64_t rows, int64_t cols) {
    run(x, dy, dx, rows, cols);
}
