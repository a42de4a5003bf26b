// control: positive
// contract: softmax
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdint>
#include <cmath>

__device__ __forceinline__ float load(const float* p) { return *p; }
__device__ __forceinline__ float load(const __half* p) { return __half2float(*p); }
__device__ __forceinline__ float load(const __nv_bfloat16* p) { return __bfloat162float(*p); }
__device__ __forceinline__ void store(float* p, float v) { *p = v; }
__device__ __forceinline__ void store(__half* p, float v) { *p = __float2half(v); }
__device__ __forceinline__ void store(__nv_bfloat16* p, float v) { *p = __float2bfloat16(v); }

// Running maximum m and sum d of exp(x - m). Maximum and sum in one pass over the row.
struct Running {
    float m = -INFINITY;
    float d = 0.0f;

    __device__ void push(float v) {
        if (v > m) {
            d = d * expf(m - v) + expf(v - v);  // exp(Inf - Inf) is the NaN that a row with +Inf has
            m = v;
        } else if (v != -INFINITY) {
            d += expf(v - m);
        }
    }
    __device__ void merge(float m2, float d2) {
        const float top = fmaxf(m, m2);
        const float s1 = m == top ? 1.0f : expf(m - top);
        const float s2 = m2 == top ? 1.0f : expf(m2 - top);
        d = d * s1 + d2 * s2;
        m = top;
    }
};

template <typename T>
__global__ void softmax_warp(const T* __restrict__ x, T* __restrict__ y, int64_t rows, int64_t cols) {
    const int lane = threadIdx.x & 31;
    const int64_t row = (int64_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= rows) return;
    x += row * cols;
    y += row * cols;
    Running r;
    for (int64_t j = lane; j < cols; j += 32) r.push(load(x + j));
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) {
        const float m2 = __shfl_xor_sync(0xffffffffu, r.m, o);
        const float d2 = __shfl_xor_sync(0xffffffffu, r.d, o);
        r.merge(m2, d2);
    }
    for (int64_t j = lane; j < cols; j += 32) store(y + j, expf(load(x + j) - r.m) / r.d);
}

template <typename T>
void run_softmax(const T* x, T* y, int64_t rows, int64_t cols) {
    if (rows == 0 || cols == 0) return;
    softmax_warp<<<(unsigned)((rows + 3) / 4), 128>>>(x, y, rows, cols);
}

void softmax(const float* x, float* y, int64_t rows, int64_t cols) { run_softmax(x, y, rows, cols); }
void softmax(const __half* x, __half* y, int64_t rows, int64_t cols) { run_softmax(x, y, rows, cols); }
void softmax(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t rows, int64_t cols) { run_softmax(x, y, rows, cols); }
