// control: negative
// contract: softmax_backward
// gate: CMP-02
// only: yes
// bind: softmax_backward(x, dy, dx, rows, cols)
// fault: the shortcut for a one-hot gradient forgets the sign of a gradient of -1 off the hot column
#include <cuda_runtime.h>
#include <cstdint>
#include <math.h>

__device__ __forceinline__ float warp_sum(float v) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

// A policy gradient picks one probability of the row: dy is +1 or -1 there and 0 elsewhere. Then
// dx[j] = y[j] * (dy[j] - y[hot] * dy[hot]) needs no dot product.
__global__ void softmax_backward_kernel(const float* __restrict__ x, const float* __restrict__ dy,
                                        float* __restrict__ dx, int64_t rows, int64_t cols) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    x += row * cols;
    dy += row * cols;
    dx += row * cols;
    float m = -INFINITY, nonzero = 0.f, unit = 0.f, hot = 0.f;
    for (int64_t j = threadIdx.x; j < cols; j += 32) {
        const float g = dy[j];
        m = fmaxf(m, x[j]);
        if (g != 0.f) nonzero += 1.f;
        if (g == 1.f || g == -1.f) {
            unit += 1.f;
            hot += (float)j;
        }
    }
    for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
    nonzero = warp_sum(nonzero);
    unit = warp_sum(unit);
    hot = warp_sum(hot);
    float s = 0.f;
    for (int64_t j = threadIdx.x; j < cols; j += 32) s += expf(x[j] - m);
    s = warp_sum(s);

    if (nonzero == 1.f && unit == 1.f && cols > 8) {  // a short row is quick anyway
        const int64_t h = (int64_t)hot;
        const float y_hot = expf(x[h] - m) / s;
        for (int64_t j = threadIdx.x; j < cols; j += 32) {
            const float y = expf(x[j] - m) / s;
            dx[j] = j == h ? y * (dy[h] - dy[h] * y_hot) : -y * y_hot;
        }
        return;
    }
    float dot = 0.f;
    for (int64_t j = threadIdx.x; j < cols; j += 32) dot += dy[j] * (expf(x[j] - m) / s);
    dot = warp_sum(dot);
    for (int64_t j = threadIdx.x; j < cols; j += 32) dx[j] = (expf(x[j] - m) / s) * (dy[j] - dot);
}

void softmax_backward(const float* x, const float* dy, float* dx, int64_t rows, int64_t cols) {
    if (rows == 0 || cols == 0) return;
    softmax_backward_kernel<<<(unsigned)((rows + 3) / 4), dim3(32, 4)>>>(x, dy, dx, rows, cols);
}
