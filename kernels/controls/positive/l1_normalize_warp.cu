// control: positive
// contract: l1_normalize
// bind: l1_normalize(x, y, rows, cols, eps)
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cstdint>

__device__ __forceinline__ float up(float v) { return v; }
__device__ __forceinline__ float up(__nv_bfloat16 v) { return __bfloat162float(v); }
__device__ __forceinline__ void down(float* p, float v) { *p = v; }
__device__ __forceinline__ void down(__nv_bfloat16* p, float v) { *p = __float2bfloat16(v); }

template <typename T>
__global__ void l1_normalize_kernel(const T* __restrict__ x, T* __restrict__ y, int64_t rows, int64_t cols,
                                    float eps) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float norm = 0.f;
    for (int64_t j = threadIdx.x; j < cols; j += 32) norm += fabsf(up(x[row * cols + j]));
    for (int o = 16; o > 0; o >>= 1) norm += __shfl_xor_sync(0xffffffffu, norm, o);
    const float den = norm < eps ? eps : norm;
    for (int64_t j = threadIdx.x; j < cols; j += 32) down(y + row * cols + j, up(x[row * cols + j]) / den);
}

void l1_normalize(const float* x, float* y, int64_t rows, int64_t cols, float eps) {
    if (rows > 0 && cols > 0)
        l1_normalize_kernel<<<(unsigned)((rows + 3) / 4), dim3(32, 4)>>>(x, y, rows, cols, eps);
}
void l1_normalize(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t rows, int64_t cols, float eps) {
    if (rows > 0 && cols > 0)
        l1_normalize_kernel<<<(unsigned)((rows + 3) / 4), dim3(32, 4)>>>(x, y, rows, cols, eps);
}
