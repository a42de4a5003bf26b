// control: positive
// contract: cumsum
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdint>

__device__ inline float in_f(float v) { return v; }
__device__ inline float in_f(__half v) { return __half2float(v); }
__device__ inline float in_f(__nv_bfloat16 v) { return __bfloat162float(v); }
__device__ inline void out_f(float& d, float v) { d = v; }
__device__ inline void out_f(__half& d, float v) { d = __float2half(v); }
__device__ inline void out_f(__nv_bfloat16& d, float v) { d = __float2bfloat16(v); }

// A warp a row; the running total stays in float whatever the dtype.
template <typename T>
__global__ void cumsum_warp(const T* __restrict__ x, T* __restrict__ y, int64_t rows, int64_t cols) {
    const unsigned lane = threadIdx.x;
    const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float carry = 0.f;
    for (int64_t base = 0; base < cols; base += 32) {
        const int64_t j = base + lane;
        float v = j < cols ? in_f(x[row * cols + j]) : 0.f;
#pragma unroll
        for (unsigned d = 1; d < 32; d *= 2) {
            const float t = __shfl_up_sync(0xffffffffu, v, d);
            v = lane >= d ? v + t : v;
        }
        v += carry;
        if (j < cols) out_f(y[row * cols + j], v);
        carry = __shfl_sync(0xffffffffu, v, 31);
    }
}

template <typename T>
static void scan(const T* x, T* y, int64_t rows, int64_t cols) {
    if (rows == 0 || cols == 0) return;
    cumsum_warp<T><<<(unsigned)((rows + 3) / 4), dim3(32, 4)>>>(x, y, rows, cols);
}

void cumsum(const float* x, float* y, int64_t rows, int64_t cols) { scan(x, y, rows, cols); }
void cumsum(const __half* x, __half* y, int64_t rows, int64_t cols) { scan(x, y, rows, cols); }
void cumsum(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t rows, int64_t cols) { scan(x, y, rows, cols); }
