// control: positive
// contract: rotary
#include <cuda_runtime.h>
#include <cstdint>

// A thread a pair: it reads both halves once.
__global__ void rotary_kernel(const float* __restrict__ x, const float* __restrict__ co, const float* __restrict__ si,
                              float* __restrict__ y, int64_t pairs, int64_t t, int64_t half) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= pairs) return;
    const int64_t c = e % half, row = e / half, table = row % t * half + c;
    const float a = x[row * 2 * half + c], b = x[row * 2 * half + half + c];
    y[row * 2 * half + c] = a * co[table] - b * si[table];
    y[row * 2 * half + half + c] = b * co[table] + a * si[table];
}

void rotary(const float* x, const float* co, const float* si, float* y, int64_t heads, int64_t t, int64_t half) {
    const int64_t pairs = heads * t * half;
    if (pairs > 0) rotary_kernel<<<(unsigned)((pairs + 63) / 64), 64>>>(x, co, si, y, pairs, t, half);
}
