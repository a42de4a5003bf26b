// control: positive
// contract: conv1d
// where: n <= 8, ci <= 8, co <= 8, k <= 8
// bind: conv1d(x, f, bias, y, n, ci, l, co, k, stride, padding, dilation, groups)
#include <cuda_runtime.h>
#include <cstdint>

__global__ void conv1d_kernel(const float* __restrict__ x, const float* __restrict__ f,
                              const float* __restrict__ bias, float* __restrict__ y, int64_t n, int64_t ci, int64_t l,
                              int64_t co, int64_t k, int64_t out, int stride, int padding, int dilation, int groups) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= n * co * out) return;
    const int64_t i = e % out, o = e / out % co, b = e / out / co;
    const int64_t each = ci / groups, first = o / (co / groups) * each;
    float acc = 0.f;
    for (int64_t c = 0; c < each; ++c)
        for (int64_t r = 0; r < k; ++r) {
            const int64_t at = i * stride - padding + r * dilation;
            if (at < 0 || at >= l) continue;
            acc = fmaf(x[(b * ci + first + c) * l + at], f[(o * each + c) * k + r], acc);
        }
    y[e] = acc + bias[o];
}

void conv1d(const float* x, const float* f, const float* bias, float* y, int64_t n, int64_t ci, int64_t l, int64_t co,
            int64_t k, int stride, int padding, int dilation, int groups) {
    const int64_t out = (l + 2 * padding - dilation * (k - 1) - 1) / stride + 1;
    const int64_t total = n * co * out;
    if (total > 0)
        conv1d_kernel<<<(unsigned)((total + 63) / 64), 64>>>(x, f, bias, y, n, ci, l, co, k, out, stride, padding,
                                                              dilation, groups);
}
