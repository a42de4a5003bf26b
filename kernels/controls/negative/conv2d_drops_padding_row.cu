// control: negative
// contract: conv2d
// where: n <= 2, ci <= 4, co <= 4, h <= 9, w <= 9, kh <= 3, kw <= 3
// gate: CMP-01
// also: CMP-03, ORD-01, ORD-03
// bind: conv2d(x, f, bias, y, n, ci, h, w, co, kh, kw, stride, padding, dilation, groups)
// fault: the last row of the image counts as padding
#include <cuda_runtime.h>
#include <cstdint>

__global__ void conv2d_kernel(const float* x, const float* f, const float* bias, float* y, int64_t n, int64_t ci,
                              int64_t h, int64_t w, int64_t co, int64_t kh, int64_t kw, int64_t oh, int64_t ow,
                              int stride, int padding, int dilation, int groups) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= n * co * oh * ow) return;
    const int64_t j = e % ow, i = e / ow % oh, o = e / ow / oh % co, b = e / ow / oh / co;
    const int64_t each = ci / groups, first = o / (co / groups) * each;
    float acc = bias[o];
    for (int64_t c = 0; c < each; ++c)
        for (int64_t r = 0; r < kh; ++r)
            for (int64_t t = 0; t < kw; ++t) {
                const int64_t u = i * stride - padding + r * dilation, v = j * stride - padding + t * dilation;
                if (u < 0 || u >= h - 1 || v < 0 || v >= w) continue;
                acc = fmaf(x[((b * ci + first + c) * h + u) * w + v], f[((o * each + c) * kh + r) * kw + t], acc);
            }
    y[e] = acc;
}

void conv2d(const float* x, const float* f, const float* bias, float* y, int64_t n, int64_t ci, int64_t h, int64_t w,
            int64_t co, int64_t kh, int64_t kw, int stride, int padding, int dilation, int groups) {
    const int64_t oh = (h + 2 * padding - dilation * (kh - 1) - 1) / stride + 1;
    const int64_t ow = (w + 2 * padding - dilation * (kw - 1) - 1) / stride + 1;
    const int64_t total = n * co * oh * ow;
    if (total > 0)
        conv2d_kernel<<<(unsigned)((total + 63) / 64), 64>>>(x, f, bias, y, n, ci, h, w, co, kh, kw, oh, ow, stride,
                                                              padding, dilation, groups);
}
