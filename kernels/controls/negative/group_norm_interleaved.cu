// control: negative
// contract: group_norm
// gate: CMP-01
// also: CMP-03, ORD-01
// bind: group_norm(x, w, b, y, n, ch, l, groups, eps)
// where: ch > groups
// fault: every groups-th channel belongs together, where neighbours should
#include <cuda_runtime.h>
#include <cstdint>

__global__ void group_norm_kernel(const float* x, const float* w, const float* b, float* y, int64_t n, int64_t ch,
                                  int64_t l, int64_t groups, float eps) {
    const int64_t at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n * groups) return;
    const int64_t i = at / groups, g = at % groups;
    const float size = (float)(ch / groups * l);
    float mean = 0.f, var = 0.f;
    for (int64_t c = g; c < ch; c += groups)
        for (int64_t p = 0; p < l; ++p) mean += x[(i * ch + c) * l + p];
    mean /= size;
    for (int64_t c = g; c < ch; c += groups)
        for (int64_t p = 0; p < l; ++p) var += (x[(i * ch + c) * l + p] - mean) * (x[(i * ch + c) * l + p] - mean);
    const float scale = rsqrtf(var / size + eps);
    for (int64_t c = g; c < ch; c += groups)
        for (int64_t p = 0; p < l; ++p) {
            const int64_t e = (i * ch + c) * l + p;
            y[e] = (x[e] - mean) * scale * w[c] + b[c];
        }
}

void group_norm(const float* x, const float* w, const float* b, float* y, int64_t n, int64_t ch, int64_t l,
                int64_t groups, float eps) {
    if (n > 0) group_norm_kernel<<<(unsigned)((n * groups + 31) / 32), 32>>>(x, w, b, y, n, ch, l, groups, eps);
}
