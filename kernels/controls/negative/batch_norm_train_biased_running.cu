// control: negative
// contract: batch_norm_train
// gate: CMP-01
// also: CMP-03, ORD-01
// bind: batch_norm_train(x, rm, rv, w, b, y, new_rm, new_rv, n, ch, l, momentum, eps)
// fault: the running variance takes the biased variance, which the output divides by
#include <cuda_runtime.h>
#include <cstdint>

__global__ void batch_norm_kernel(const float* x, const float* rm, const float* rv, const float* w, const float* b,
                                  float* y, float* new_rm, float* new_rv, int64_t n, int64_t ch, int64_t l,
                                  float momentum, float eps) {
    const int64_t c = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= ch) return;
    const int64_t m = n * l;
    float mean = 0.f, var = 0.f;
    for (int64_t e = 0; e < m; ++e) mean += x[(e / l * ch + c) * l + e % l];
    mean /= (float)m;
    for (int64_t e = 0; e < m; ++e) {
        const float d = x[(e / l * ch + c) * l + e % l] - mean;
        var += d * d;
    }
    var /= (float)m;
    for (int64_t e = 0; e < m; ++e) {
        const int64_t at = (e / l * ch + c) * l + e % l;
        y[at] = (x[at] - mean) * rsqrtf(var + eps) * w[c] + b[c];
    }
    new_rm[c] = (1.f - momentum) * rm[c] + momentum * mean;
    new_rv[c] = (1.f - momentum) * rv[c] + momentum * var;
}

void batch_norm_train(const float* x, const float* rm, const float* rv, const float* w, const float* b, float* y,
                      float* new_rm, float* new_rv, int64_t n, int64_t ch, int64_t l, float momentum, float eps) {
    if (ch > 0)
        batch_norm_kernel<<<(unsigned)((ch + 31) / 32), 32>>>(x, rm, rv, w, b, y, new_rm, new_rv, n, ch, l, momentum,
                                                               eps);
}
