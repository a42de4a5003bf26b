// control: negative
// contract: conv_transpose2d
// where: kh + kw >= 3, n <= 2, ci <= 4, co <= 4, h <= 9, w <= 9, kh <= 3, kw <= 3
// gate: CMP-01
// also: CMP-03, ORD-01, ORD-03
// fault: the filter is flipped, as in the forward convolution
#include <cuda_runtime.h>
#include <cstdint>

__global__ void conv_transpose2d_kernel(const float* x, const float* f, const float* bias, float* y, int64_t n,
                                        int64_t ci, int64_t h, int64_t w, int64_t co, int64_t kh, int64_t kw) {
    const int64_t oh = h + kh - 1, ow = w + kw - 1;
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= n * co * oh * ow) return;
    const int64_t j = e % ow, i = e / ow % oh, o = e / ow / oh % co, b = e / ow / oh / co;
    float acc = bias[o];
    for (int64_t r = 0; r < kh; ++r)
        for (int64_t t = 0; t < kw; ++t) {
            const int64_t u = i - r, v = j - t;
            if (u < 0 || u >= h || v < 0 || v >= w) continue;
            for (int64_t c = 0; c < ci; ++c)
                acc = fmaf(x[((b * ci + c) * h + u) * w + v], f[((c * co + o) * kh + kh - 1 - r) * kw + kw - 1 - t],
                           acc);
        }
    y[e] = acc;
}

void conv_transpose2d(const float* x, const float* f, const float* bias, float* y, int64_t n, int64_t ci, int64_t h,
                      int64_t w, int64_t co, int64_t kh, int64_t kw) {
    const int64_t total = n * co * (h + kh - 1) * (w + kw - 1);
    if (total > 0)
        conv_transpose2d_kernel<<<(unsigned)((total + 63) / 64), 64>>>(x, f, bias, y, n, ci, h, w, co, kh, kw);
}
