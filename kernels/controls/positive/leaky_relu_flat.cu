// control: positive
// contract: leaky_relu
// bind: leaky_relu(x, y, n, slope)
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>

__global__ void leaky_relu_kernel(const float* x, float* y, int64_t n, float slope) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] > 0.f ? x[i] : slope * x[i];
}
__global__ void leaky_relu_kernel(const __half* x, __half* y, int64_t n, float slope) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float v = __half2float(x[i]);
    y[i] = v > 0.f ? x[i] : __float2half(slope * v);
}

void leaky_relu(const float* x, float* y, int64_t n, float slope) {
    if (n > 0) leaky_relu_kernel<<<(unsigned)((n + 255) / 256), 256>>>(x, y, n, slope);
}
void leaky_relu(const __half* x, __half* y, int64_t n, float slope) {
    if (n > 0) leaky_relu_kernel<<<(unsigned)((n + 255) / 256), 256>>>(x, y, n, slope);
}
