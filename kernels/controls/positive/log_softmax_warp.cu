// control: positive
// contract: log_softmax
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdint>
#include <cmath>

template <typename T> __device__ float get(T v);
template <> __device__ float get(float v) { return v; }
template <> __device__ float get(__half v) { return __half2float(v); }
template <> __device__ float get(__nv_bfloat16 v) { return __bfloat162float(v); }
template <typename T> __device__ T put(float v);
template <> __device__ float put(float v) { return v; }
template <> __device__ __half put(float v) { return __float2half(v); }
template <> __device__ __nv_bfloat16 put(float v) { return __float2bfloat16(v); }

template <typename T>
__global__ void log_softmax_rows(const T* __restrict__ x, T* __restrict__ y, int64_t rows, int64_t cols) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const T* src = x + row * cols;
    T* dst = y + row * cols;

    float m = -INFINITY;
    for (int64_t j = threadIdx.x; j < cols; j += warpSize) m = fmaxf(m, get(src[j]));
    for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
    float s = 0.0f;
    for (int64_t j = threadIdx.x; j < cols; j += warpSize) s += expf(get(src[j]) - m);
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    const float l = logf(s);
    for (int64_t j = threadIdx.x; j < cols; j += warpSize) dst[j] = put<T>((get(src[j]) - m) - l);
}

template <typename T>
static void go(const T* x, T* y, int64_t rows, int64_t cols) {
    if (rows * cols == 0) return;
    log_softmax_rows<T><<<dim3((unsigned)((rows + 7) / 8)), dim3(32, 8)>>>(x, y, rows, cols);
}

void log_softmax(const float* x, float* y, int64_t rows, int64_t cols) { go(x, y, rows, cols); }
void log_softmax(const __half* x, __half* y, int64_t rows, int64_t cols) { go(x, y, rows, cols); }
void log_softmax(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t rows, int64_t cols) { go(x, y, rows, cols); }
