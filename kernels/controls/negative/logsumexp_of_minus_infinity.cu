// control: negative
// contract: logsumexp
// gate: EXC-01
// fault: the maximum is subtracted where it is infinite: Inf - Inf makes NaN
#include <cuda_runtime.h>
#include <cstdint>

__global__ void logsumexp_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t rows, int64_t cols) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float m = cols > 0 ? -INFINITY : 0.f;
    for (int64_t j = threadIdx.x; j < cols; j += 32) m = fmaxf(m, x[row * cols + j]);
    for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
    float s = 0.f;
    for (int64_t j = threadIdx.x; j < cols; j += 32) s += expf(x[row * cols + j] - m);
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    if (threadIdx.x == 0) y[row] = logf(s) + m;
}

void logsumexp(const float* x, float* y, int64_t rows, int64_t cols) {
    if (rows > 0) logsumexp_kernel<<<(unsigned)((rows + 3) / 4), dim3(32, 4)>>>(x, y, rows, cols);
}
