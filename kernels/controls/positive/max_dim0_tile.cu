// control: positive
// contract: max_dim0
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cstdint>

__device__ __forceinline__ float up(float v) { return v; }
__device__ __forceinline__ float up(__nv_bfloat16 v) { return __bfloat162float(v); }
__device__ __forceinline__ void down(float* p, float v) { *p = v; }
__device__ __forceinline__ void down(__nv_bfloat16* p, float v) { *p = __float2bfloat16(v); }

__device__ __forceinline__ float larger(float a, float b) { return a > b || a != a ? a : b; }

// 32 columns a block, 8 threads a column, which meet in shared memory.
template <typename T>
__global__ void max_dim0_kernel(const T* __restrict__ x, T* __restrict__ y, int64_t rows, int64_t cols) {
    __shared__ float part[8][32];
    const int64_t c = (int64_t)blockIdx.x * 32 + threadIdx.x;
    float m = -INFINITY;
    if (c < cols)
        for (int64_t r = threadIdx.y; r < rows; r += 8) m = larger(m, up(x[r * cols + c]));
    part[threadIdx.y][threadIdx.x] = m;
    __syncthreads();
    if (threadIdx.y != 0 || c >= cols) return;
    for (int k = 1; k < 8; ++k) m = larger(m, part[k][threadIdx.x]);
    down(y + c, m);
}

void max_dim0(const float* x, float* y, int64_t rows, int64_t cols) {
    if (cols > 0) max_dim0_kernel<<<(unsigned)((cols + 31) / 32), dim3(32, 8)>>>(x, y, rows, cols);
}
void max_dim0(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t rows, int64_t cols) {
    if (cols > 0) max_dim0_kernel<<<(unsigned)((cols + 31) / 32), dim3(32, 8)>>>(x, y, rows, cols);
}
