// control: positive
// contract: swiglu
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cstdint>

__device__ __forceinline__ float up(float v) { return v; }
__device__ __forceinline__ float up(__nv_bfloat16 v) { return __bfloat162float(v); }
__device__ __forceinline__ void down(float* p, float v) { *p = v; }
__device__ __forceinline__ void down(__nv_bfloat16* p, float v) { *p = __float2bfloat16(v); }

template <typename T>
__global__ void swiglu_kernel(const T* __restrict__ x, T* __restrict__ y, int64_t cols) {
    const T* gate = x + (int64_t)blockIdx.x * 2 * cols;
    for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) {
        const float g = up(gate[c]);
        down(y + (int64_t)blockIdx.x * cols + c, g / (1.f + expf(-g)) * up(gate[cols + c]));
    }
}

void swiglu(const float* x, float* y, int64_t rows, int64_t cols) {
    if (rows > 0 && cols > 0) swiglu_kernel<<<(unsigned)rows, 64>>>(x, y, cols);
}
void swiglu(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t rows, int64_t cols) {
    if (rows > 0 && cols > 0) swiglu_kernel<<<(unsigned)rows, 64>>>(x, y, cols);
}
