// control: negative
// contract: layer_norm
// gate: CMP-01
// also: CMP-03
// bind: layernorm(x, w, b, y, rows, cols, eps)
// fault: the variance is divided by cols - 1
#include <cuda_runtime.h>
#include <cstdint>

__global__ void layernorm_kernel(const float* __restrict__ x, const float* __restrict__ w, const float* __restrict__ b,
                                 float* __restrict__ y, int64_t rows, int64_t cols, float eps) {
    int64_t row = (int64_t)blockIdx.x * 4 + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) return;
    x += row * cols;
    y += row * cols;
    float sum = 0.f;
    for (int64_t i = lane; i < cols; i += 32) sum += x[i];
    for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    float mu = sum / (float)cols;
    float m2 = 0.f;
    for (int64_t i = lane; i < cols; i += 32) {
        float d = x[i] - mu;
        m2 += d * d;
    }
    for (int o = 16; o > 0; o /= 2) m2 += __shfl_xor_sync(0xffffffffu, m2, o);
    float var = cols > 1 ? m2 / (float)(cols - 1) : 0.f;
    float r = rsqrtf(var + eps);
    for (int64_t i = lane; i < cols; i += 32) y[i] = (x[i] - mu) * r * w[i] + b[i];
}

void layernorm(const float* x, const float* w, const float* b, float* y, int64_t rows, int64_t cols, float eps) {
    if (rows > 0 && cols > 0) layernorm_kernel<<<(unsigned)((rows + 3) / 4), 128>>>(x, w, b, y, rows, cols, eps);
}
