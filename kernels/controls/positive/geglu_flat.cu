// control: positive
// contract: geglu
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>

__device__ __forceinline__ float up(float v) { return v; }
__device__ __forceinline__ float up(__half v) { return __half2float(v); }
__device__ __forceinline__ void down(float* p, float v) { *p = v; }
__device__ __forceinline__ void down(__half* p, float v) { *p = __float2half(v); }

template <typename T>
__global__ void geglu_kernel(const T* __restrict__ x, T* __restrict__ y, int64_t total, int64_t cols) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= total) return;
    const T* row = x + e / cols * 2 * cols;
    const float gate = up(row[cols + e % cols]);
    down(y + e, up(row[e % cols]) * (0.5f * gate * (1.f + erff(gate * 0.70710678118654752f))));
}

void geglu(const float* x, float* y, int64_t rows, int64_t cols) {
    if (rows * cols > 0) geglu_kernel<<<(unsigned)((rows * cols + 127) / 128), 128>>>(x, y, rows * cols, cols);
}
void geglu(const __half* x, __half* y, int64_t rows, int64_t cols) {
    if (rows * cols > 0) geglu_kernel<<<(unsigned)((rows * cols + 127) / 128), 128>>>(x, y, rows * cols, cols);
}
