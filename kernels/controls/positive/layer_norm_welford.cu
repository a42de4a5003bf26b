// control: positive
// contract: layer_norm
// bind: layer_norm(x, w, b, y, rows, cols, eps)
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdint>

__device__ __forceinline__ float rd(const float* p) { return __ldg(p); }
__device__ __forceinline__ float rd(const __half* p) { return __half2float(*p); }
__device__ __forceinline__ float rd(const __nv_bfloat16* p) { return __bfloat162float(*p); }
__device__ __forceinline__ void wr(float* p, float v) { *p = v; }
__device__ __forceinline__ void wr(__half* p, float v) { *p = __float2half_rn(v); }
__device__ __forceinline__ void wr(__nv_bfloat16* p, float v) { *p = __float2bfloat16_rn(v); }

struct Welford {
    float count = 0.f, mean = 0.f, m2 = 0.f;

    __device__ void push(float v) {
        count += 1.f;
        const float delta = v - mean;
        mean += delta / count;
        m2 += delta * (v - mean);
    }
    // Chan et al.: the moments of the union of two sets.
    __device__ void merge(float count2, float mean2, float m22) {
        const float total = count + count2;
        if (count2 == 0.f) return;
        if (count == 0.f) {
            count = count2; mean = mean2; m2 = m22;
            return;
        }
        const float delta = mean2 - mean;
        mean += delta * (count2 / total);
        m2 += m22 + delta * delta * (count * count2 / total);
        count = total;
    }
};

template <typename T>
__global__ void layer_norm_kernel(const T* __restrict__ x, const T* __restrict__ w, const T* __restrict__ b,
                                  T* __restrict__ y, int64_t rows, int64_t cols, float eps) {
    const int lane = threadIdx.x & 31;
    const int64_t row = (int64_t)blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    if (row >= rows) return;
    const T* src = x + row * cols;
    T* dst = y + row * cols;

    Welford acc;
    for (int64_t j = lane; j < cols; j += 32) acc.push(rd(src + j));
    for (int o = 16; o > 0; o >>= 1) {
        const float c = __shfl_down_sync(0xffffffffu, acc.count, o);
        const float m = __shfl_down_sync(0xffffffffu, acc.mean, o);
        const float s = __shfl_down_sync(0xffffffffu, acc.m2, o);
        acc.merge(c, m, s);
    }
    const float mean = __shfl_sync(0xffffffffu, acc.mean, 0);
    const float var = __shfl_sync(0xffffffffu, acc.m2, 0) / (float)cols;
    const float rstd = rsqrtf(var + eps);
    for (int64_t j = lane; j < cols; j += 32) wr(dst + j, (rd(src + j) - mean) * rstd * rd(w + j) + rd(b + j));
}

template <typename T>
static void run(const T* x, const T* w, const T* b, T* y, int64_t rows, int64_t cols, float eps) {
    if (rows == 0 || cols == 0) return;
    layer_norm_kernel<T><<<(unsigned)((rows + 3) / 4), 128>>>(x, w, b, y, rows, cols, eps);
}

void layer_norm(const float* x, const float* gamma, const float* beta, float* y, int64_t rows, int64_t cols, float eps) {
    run(x, gamma, beta, y, rows, cols, eps);
}
void layer_norm(const __half* x, const __half* gamma, const __half* beta, __half* y, int64_t rows, int64_t cols, float eps) {
    run(x, gamma, beta, y, rows, cols, eps);
}
void layer_norm(const __nv_bfloat16* x, const __nv_bfloat16* gamma, const __nv_bfloat16* beta, __nv_bfloat16* y,
                int64_t rows, int64_t cols, float eps) {
    run(x, gamma, beta, y, rows, cols, eps);
}
