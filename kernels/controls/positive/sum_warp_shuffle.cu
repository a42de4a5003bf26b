// control: positive
// contract: sum
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdint>

template <typename T> struct Acc { using type = float; };
template <> struct Acc<double> { using type = double; };

__device__ inline float widen(float v) { return v; }
__device__ inline double widen(double v) { return v; }
__device__ inline float widen(__half v) { return __half2float(v); }
__device__ inline float widen(__nv_bfloat16 v) { return __bfloat162float(v); }
__device__ inline void narrow(float* p, float v) { *p = v; }
__device__ inline void narrow(double* p, double v) { *p = v; }
__device__ inline void narrow(__half* p, float v) { *p = __float2half(v); }
__device__ inline void narrow(__nv_bfloat16* p, float v) { *p = __float2bfloat16(v); }

// One warp a row, four rows a block. A whole warp leaves together, so the full mask is right.
template <typename T>
__global__ void sum_rows(const T* __restrict__ x, T* __restrict__ y, int64_t rows, int64_t cols) {
    using A = typename Acc<T>::type;
    const int lane = threadIdx.x & 31;
    const int64_t row = (int64_t)blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    if (row >= rows) return;
    const T* p = x + row * cols;
    A acc = A(0);
    for (int64_t j = lane; j < cols; j += 32) acc += widen(p[j]);
#pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1) acc += __shfl_down_sync(0xffffffffu, acc, offset);
    if (lane == 0) narrow(y + row, acc);
}

template <typename T>
void launch_sum(const T* x, T* y, int64_t rows, int64_t cols) {
    if (rows == 0) return;
    sum_rows<T><<<(unsigned)((rows + 3) / 4), 128>>>(x, y, rows, cols);
}

void sum(const float* x, float* y, int64_t rows, int64_t cols) { launch_sum(x, y, rows, cols); }
void sum(const double* x, double* y, int64_t rows, int64_t cols) { launch_sum(x, y, rows, cols); }
void sum(const __half* x, __half* y, int64_t rows, int64_t cols) { launch_sum(x, y, rows, cols); }
void sum(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t rows, int64_t cols) { launch_sum(x, y, rows, cols); }
