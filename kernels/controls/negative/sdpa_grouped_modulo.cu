// control: negative
// contract: sdpa_grouped
// where: hk >= 2, b * hk <= 4, lq <= 17, lk <= 17, d <= 17
// gate: CMP-01
// also: CMP-03, ORD-01
// bind: sdpa_grouped(q, k, v, o, b, hk, group, lq, lk, d)
// fault: query head t reads the keys of head t modulo hk, not t over group
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>

__global__ void sdpa_kernel(const float* q, const float* k, const float* v, float* o, int64_t rows, int64_t hk,
                            int64_t group, int64_t lq, int64_t lk, int64_t d) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const int64_t head = row / lq, kv = head / (hk * group) * hk + head % hk;
    const float* keys = k + kv * lk * d;
    const float* values = v + kv * lk * d;
    const float scale = 1.f / sqrtf((float)d);
    float m = -INFINITY, sum = 0.f;
    for (int64_t c = 0; c < lk; ++c) {
        float s = 0.f;
        for (int64_t e = 0; e < d; ++e) s = fmaf(q[row * d + e], keys[c * d + e], s);
        m = fmaxf(m, s * scale);
    }
    for (int64_t e = 0; e < d; ++e) o[row * d + e] = 0.f;
    for (int64_t c = 0; c < lk; ++c) {
        float s = 0.f;
        for (int64_t e = 0; e < d; ++e) s = fmaf(q[row * d + e], keys[c * d + e], s);
        const float p = expf(s * scale - m);
        sum += p;
        for (int64_t e = 0; e < d; ++e) o[row * d + e] = fmaf(p, values[c * d + e], o[row * d + e]);
    }
    for (int64_t e = 0; e < d; ++e) o[row * d + e] /= sum;
}

void sdpa_grouped(const float* q, const float* k, const float* v, float* o, int64_t b, int64_t hk, int64_t group,
                  int64_t lq, int64_t lk, int64_t d) {
    const int64_t rows = b * hk * group * lq;
    if (rows > 0) sdpa_kernel<<<(unsigned)((rows + 31) / 32), 32>>>(q, k, v, o, rows, hk, group, lq, lk, d);
}
