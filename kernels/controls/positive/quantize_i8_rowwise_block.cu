// control: positive
// contract: quantize_i8_rowwise
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cstdint>

__device__ __forceinline__ float up(float v) { return v; }
__device__ __forceinline__ float up(__nv_bfloat16 v) { return __bfloat162float(v); }

// fmaxf would lose a NaN, and the scale must have it.
__device__ __forceinline__ float larger(float a, float b) { return b > a || b != b ? b : a; }

template <typename T>
__global__ void rowwise_kernel(const T* __restrict__ x, int8_t* __restrict__ y, float* __restrict__ s, int64_t cols) {
    __shared__ float most[128];
    const T* row = x + blockIdx.x * cols;
    float best = 0.f;
    for (int64_t j = threadIdx.x; j < cols; j += 128) best = larger(best, fabsf(up(row[j])));
    most[threadIdx.x] = best;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half) most[threadIdx.x] = larger(most[threadIdx.x], most[threadIdx.x + half]);
        __syncthreads();
    }
    const float scale = most[0] / 127.f;
    if (threadIdx.x == 0) s[blockIdx.x] = scale;
    for (int64_t j = threadIdx.x; j < cols; j += 128) {
        const float q = scale > 0.f ? rintf(up(row[j]) / scale) : 0.f;
        y[blockIdx.x * cols + j] = (int8_t)fminf(fmaxf(q, -128.f), 127.f);
    }
}

void quantize_rows(const float* x, int8_t* y, float* s, int64_t rows, int64_t cols) {
    if (rows > 0) rowwise_kernel<<<(unsigned)rows, 128>>>(x, y, s, cols);
}
void quantize_rows(const __nv_bfloat16* x, int8_t* y, float* s, int64_t rows, int64_t cols) {
    if (rows > 0) rowwise_kernel<<<(unsigned)rows, 128>>>(x, y, s, cols);
}
