// control: negative
// contract: kl_div
// gate: CMP-01
// also: CMP-03, ORD-01, EXC-01
// fault: 0 * log 0 is computed, and is NaN
#include <cuda_runtime.h>
#include <cstdint>

__global__ void kl_div_kernel(const float* x, const float* t, float* loss, int64_t n, int64_t rows) {
    float sum = 0.f;
    for (int64_t j = threadIdx.x; j < n; j += 32) sum += t[j] * (logf(t[j]) - x[j]);
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (threadIdx.x == 0) *loss = sum / (float)rows;
}

void kl_div(const float* x, const float* t, float* loss, int64_t rows, int64_t cols) {
    kl_div_kernel<<<1, 32>>>(x, t, loss, rows * cols, rows);
}
