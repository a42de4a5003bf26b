// control: positive
// contract: softmax
// where: cols <= 1024
#include <cuda_runtime.h>
#include <cmath>

// The row stays in registers between the passes: one read and one write of global memory.
template <int kPerLane>
__global__ void softmax_regs(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
    const long long row = (long long)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const float* src = x + row * cols;
    float* dst = y + row * cols;
    float v[kPerLane];
    float m = -INFINITY;
#pragma unroll
    for (int k = 0; k < kPerLane; ++k) {
        const int j = threadIdx.x + 32 * k;
        v[k] = j < cols ? src[j] : -INFINITY;
        m = fmaxf(m, v[k]);
    }
    for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
    float s = 0.f;
#pragma unroll
    for (int k = 0; k < kPerLane; ++k) {
        const int j = threadIdx.x + 32 * k;
        if (j < cols) {
            v[k] = expf(v[k] - m);
            s += v[k];
        }
    }
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
#pragma unroll
    for (int k = 0; k < kPerLane; ++k) {
        const int j = threadIdx.x + 32 * k;
        if (j < cols) dst[j] = v[k] / s;
    }
}

void softmax(const float* x, float* y, int rows, int cols) {
    if (rows == 0 || cols == 0) return;
    const dim3 block(32, 4);
    const unsigned grid = (unsigned)(((long long)rows + 3) / 4);
    if (cols <= 128) softmax_regs<4><<<grid, block>>>(x, y, rows, cols);
    else softmax_regs<32><<<grid, block>>>(x, y, rows, cols);
}
