// control: positive
// contract: max
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdint>
#include <cmath>

__device__ float to_f(float v) { return v; }
__device__ float to_f(__half v) { return __half2float(v); }
__device__ float to_f(__nv_bfloat16 v) { return __bfloat162float(v); }
template <typename T> __device__ T from_f(float v);
template <> __device__ float from_f<float>(float v) { return v; }
template <> __device__ __half from_f<__half>(float v) { return __float2half(v); }
template <> __device__ __nv_bfloat16 from_f<__nv_bfloat16>(float v) { return __float2bfloat16(v); }

__device__ float pick(float a, float b) {
    if (isnan(a)) return a;
    if (isnan(b)) return b;
    return fmaxf(a, b);
}

template <typename T>
__global__ void max_kernel(const T* x, T* y, int rows, int cols) {
    int warp = threadIdx.y;
    int lane = threadIdx.x;
    int64_t row = (int64_t)blockIdx.x * blockDim.y + warp;
    if (row >= rows) return;
    const T* p = x + row * cols;
    float m = -INFINITY;
    for (int j = lane; j < cols; j += 32) m = pick(m, to_f(p[j]));
    for (int mask = 16; mask > 0; mask /= 2) m = pick(m, __shfl_xor_sync(0xffffffff, m, mask));
    if (lane == 0) y[row] = from_f<T>(m);
}

template <typename T>
static void launch(const T* x, T* y, int rows, int cols) {
    if (rows <= 0) return;
    dim3 block(32, 4);
    dim3 grid((unsigned)(((int64_t)rows + 3) / 4));
    max_kernel<T><<<grid, block>>>(x, y, rows, cols);
}

void row_max(const float* x, float* y, int rows, int cols) { launch(x, y, rows, cols); }
void row_max(const __half* x, __half* y, int rows, int cols) { launch(x, y, rows, cols); }
void row_max(const __nv_bfloat16* x, __nv_bfloat16* y, int rows, int cols) { launch(x, y, rows, cols); }
