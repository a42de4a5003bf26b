// control: negative
// contract: softmax
// gate: PRC-01
// fault: the half version keeps its exponentials and their sum in half
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>
#include <math.h>

__global__ void softmax_f32(const float* x, float* y, int64_t rows, int64_t cols) {
    const int64_t r = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float m = -INFINITY, s = 0.0f;
    for (int64_t j = 0; j < cols; ++j) m = fmaxf(m, x[r * cols + j]);
    for (int64_t j = 0; j < cols; ++j) s += expf(x[r * cols + j] - m);
    for (int64_t j = 0; j < cols; ++j) y[r * cols + j] = expf(x[r * cols + j] - m) / s;
}

__global__ void softmax_f16(const __half* x, __half* y, int64_t rows, int64_t cols) {
    const int64_t r = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    x += r * cols;
    y += r * cols;
    float m = -INFINITY;
    for (int64_t j = 0; j < cols; ++j) m = fmaxf(m, __half2float(x[j]));
    __half s = __float2half(0.0f);
    for (int64_t j = 0; j < cols; ++j) {
        y[j] = __float2half(expf(__half2float(x[j]) - m));
        s = __hadd(s, y[j]);
    }
    for (int64_t j = 0; j < cols; ++j) y[j] = __float2half(__half2float(y[j]) / __half2float(s));
}

void softmax(const float* x, float* y, int64_t rows, int64_t cols) {
    if (rows > 0 && cols > 0) softmax_f32<<<(unsigned)((rows + 31) / 32), 32>>>(x, y, rows, cols);
}
void softmax(const __half* x, __half* y, int64_t rows, int64_t cols) {
    if (rows > 0 && cols > 0) softmax_f16<<<(unsigned)((rows + 31) / 32), 32>>>(x, y, rows, cols);
}
