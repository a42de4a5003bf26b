// control: negative
// contract: softmax_backward
// gate: CMP-02
// also: CMP-01, CMP-03
// bind: softmax_backward(x, dy, dx, rows, cols)
// fault: dx = y * dy, the term with the dot product is missing
#include <cuda_runtime.h>
#include <cstdint>
#include <math.h>

__global__ void softmax_bwd(const float* x, const float* dy, float* dx, int64_t rows, int64_t cols) {
    int64_t row = (int64_t)blockIdx.x * 4 + threadIdx.y;
    if (row >= rows) return;
    const float* xr = x + row * cols;
    float m = -INFINITY;
    for (int64_t j = threadIdx.x; j < cols; j += 32) m = fmaxf(m, xr[j]);
    for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, o));
    float s = 0.0f;
    for (int64_t j = threadIdx.x; j < cols; j += 32) s += expf(xr[j] - m);
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffff, s, o);
    for (int64_t j = threadIdx.x; j < cols; j += 32) {
        float y = expf(xr[j] - m) / s;
        dx[row * cols + j] = y * dy[row * cols + j];
    }
}

void softmax_backward(const float* x, const float* dy, float* dx, int64_t rows, int64_t cols) {
    if (rows > 0 && cols > 0) softmax_bwd<<<(unsigned)((rows + 3) / 4), dim3(32, 4)>>>(x, dy, dx, rows, cols);
}
