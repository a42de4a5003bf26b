// control: positive
// contract: gather
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>

template <typename T>
__global__ void gather_kernel(const T* __restrict__ x, const int64_t* __restrict__ idx, T* __restrict__ y,
                              int64_t total, int64_t cols, int64_t k) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e < total) y[e] = x[e / k * cols + idx[e]];
}

void gather(const float* x, const int64_t* idx, float* y, int64_t rows, int64_t cols, int64_t k) {
    if (rows * k > 0) gather_kernel<<<(unsigned)((rows * k + 127) / 128), 128>>>(x, idx, y, rows * k, cols, k);
}
void gather(const __half* x, const int64_t* idx, __half* y, int64_t rows, int64_t cols, int64_t k) {
    if (rows * k > 0) gather_kernel<<<(unsigned)((rows * k + 127) / 128), 128>>>(x, idx, y, rows * k, cols, k);
}
