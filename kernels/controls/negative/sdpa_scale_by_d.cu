// control: negative
// contract: sdpa
// where: b * h <= 4, lq <= 17, lk <= 17, d <= 17
// gate: CMP-01
// also: CMP-03, ORD-01
// bind: sdpa(q, k, v, o, b*h, lq, lk, d)
// fault: scores are divided by d, not by its square root
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>

__global__ void sdpa_kernel(const float* q, const float* k, const float* v, float* o, int64_t rows, int64_t lq,
                            int64_t lk, int64_t d) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float* keys = k + row / lq * lk * d;
    const float* values = v + row / lq * lk * d;
    float m = -INFINITY, sum = 0.f;
    for (int64_t c = 0; c < lk; ++c) {
        float s = 0.f;
        for (int64_t e = 0; e < d; ++e) s = fmaf(q[row * d + e], keys[c * d + e], s);
        m = fmaxf(m, s / (float)d);
    }
    for (int64_t e = 0; e < d; ++e) o[row * d + e] = 0.f;
    for (int64_t c = 0; c < lk; ++c) {
        float s = 0.f;
        for (int64_t e = 0; e < d; ++e) s = fmaf(q[row * d + e], keys[c * d + e], s);
        const float p = expf(s / (float)d - m);
        sum += p;
        for (int64_t e = 0; e < d; ++e) o[row * d + e] = fmaf(p, values[c * d + e], o[row * d + e]);
    }
    for (int64_t e = 0; e < d; ++e) o[row * d + e] /= sum;
}

void sdpa(const float* q, const float* k, const float* v, float* o, int64_t heads, int64_t lq, int64_t lk,
          int64_t d) {
    const int64_t rows = heads * lq;
    if (rows > 0) sdpa_kernel<<<(unsigned)((rows + 31) / 32), 32>>>(q, k, v, o, rows, lq, lk, d);
}
