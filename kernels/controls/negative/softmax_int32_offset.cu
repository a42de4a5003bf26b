// control: negative
// contract: softmax
// gate: CMP-03
// only: yes
// fault: row * cols is computed in int and overflows past 2^31 elements
#include <cuda_runtime.h>
#include <math.h>

__global__ void softmax_rows(const float* x, float* y, int rows, int cols) {
    const unsigned row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= (unsigned)rows) return;
    int offset = row * cols;
    const float* in = x + offset;
    float* out = y + offset;
    float m = -INFINITY;
    for (int j = threadIdx.x; j < cols; j += 32) m = fmaxf(m, in[j]);
    for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, o));
    float s = 0.0f;
    for (int j = threadIdx.x; j < cols; j += 32) s += expf(in[j] - m);
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffff, s, o);
    for (int j = threadIdx.x; j < cols; j += 32) out[j] = expf(in[j] - m) / s;
}

void softmax(const float* x, float* y, int rows, int cols) {
    if (rows == 0 || cols == 0) return;
    softmax_rows<<<rows / 4 + (rows % 4 != 0), dim3(32, 4)>>>(x, y, rows, cols);
}
