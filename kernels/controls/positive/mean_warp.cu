// control: positive
// contract: mean
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>

__device__ __forceinline__ float up(float v) { return v; }
__device__ __forceinline__ float up(__half v) { return __half2float(v); }
__device__ __forceinline__ void down(float* p, float v) { *p = v; }
__device__ __forceinline__ void down(__half* p, float v) { *p = __float2half(v); }

// A warp a row. Of an empty row the mean is 0 / 0.
template <typename T>
__global__ void mean_kernel(const T* __restrict__ x, T* __restrict__ y, int64_t rows, int64_t cols) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float sum = 0.f;
    for (int64_t j = threadIdx.x; j < cols; j += 32) sum += up(x[row * cols + j]);
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (threadIdx.x == 0) down(y + row, sum / (float)cols);
}

void mean(const float* x, float* y, int64_t rows, int64_t cols) {
    if (rows > 0) mean_kernel<<<(unsigned)((rows + 3) / 4), dim3(32, 4)>>>(x, y, rows, cols);
}
void mean(const __half* x, __half* y, int64_t rows, int64_t cols) {
    if (rows > 0) mean_kernel<<<(unsigned)((rows + 3) / 4), dim3(32, 4)>>>(x, y, rows, cols);
}
