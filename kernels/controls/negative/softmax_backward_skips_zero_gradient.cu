// control: negative
// contract: softmax_backward
// gate: CMP-02
// also: EXC-02
// bind: softmax_backward(x, dy, dx, rows, cols)
// fault: elements with an upstream gradient of exactly 0 are skipped as if their gradient were 0
#include <cuda_runtime.h>
#include <cstdint>
#include <math.h>

__device__ __forceinline__ float warp_sum(float v) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

__global__ void softmax_backward_sparse(const float* __restrict__ x, const float* __restrict__ dy,
                                        float* __restrict__ dx, int64_t rows, int64_t cols) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    x += row * cols;
    dy += row * cols;
    dx += row * cols;
    float m = -INFINITY;
    for (int64_t j = threadIdx.x; j < cols; j += 32) m = fmaxf(m, x[j]);
    for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
    float s = 0.f;
    for (int64_t j = threadIdx.x; j < cols; j += 32) s += expf(x[j] - m);
    s = warp_sum(s);
    float dot = 0.f;
    for (int64_t j = threadIdx.x; j < cols; j += 32) dot += dy[j] * (expf(x[j] - m) / s);
    dot = warp_sum(dot);
    for (int64_t j = threadIdx.x; j < cols; j += 32) {
        const float g = dy[j];
        // Masked tokens send no gradient back: spare them the exponential.
        dx[j] = g == 0.f ? 0.f : (expf(x[j] - m) / s) * (g - dot);
    }
}

void softmax_backward(const float* x, const float* dy, float* dx, int64_t rows, int64_t cols) {
    if (rows == 0 || cols == 0) return;
    softmax_backward_sparse<<<(unsigned)((rows + 3) / 4), dim3(32, 4)>>>(x, dy, dx, rows, cols);
}
