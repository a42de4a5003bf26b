// control: negative
// contract: rotary
// gate: CMP-01
// also: CMP-03, EXC-01, EXC-02
// fault: neighbours form the pairs, as in GPT-J, not the two halves
#include <cuda_runtime.h>
#include <cstdint>

__global__ void rotary_kernel(const float* x, const float* co, const float* si, float* y, int64_t pairs, int64_t t,
                              int64_t half) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= pairs) return;
    const int64_t table = e / half % t * half + e % half;
    const float a = x[2 * e], b = x[2 * e + 1];
    y[2 * e] = a * co[table] - b * si[table];
    y[2 * e + 1] = b * co[table] + a * si[table];
}

void rotary(const float* x, const float* co, const float* si, float* y, int64_t heads, int64_t t, int64_t half) {
    const int64_t pairs = heads * t * half;
    if (pairs > 0) rotary_kernel<<<(unsigned)((pairs + 63) / 64), 64>>>(x, co, si, y, pairs, t, half);
}
