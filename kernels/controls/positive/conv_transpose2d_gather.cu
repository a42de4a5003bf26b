// control: positive
// contract: conv_transpose2d
// where: n <= 2, ci <= 8, co <= 8, h <= 20, w <= 20, kh <= 3, kw <= 3
// bind: conv_transpose2d(x, f, bias, y, n, ci, h, w, co, kh, kw, stride, padding, output_padding, dilation)
#include <cuda_runtime.h>
#include <cstdint>

struct Shape {
    int64_t n, ci, h, w, co, kh, kw, oh, ow;
    int stride, padding, dilation;
};

// Each output gathers the inputs that reach it, so that no two threads add to one place.
__global__ void conv_transpose2d_kernel(const float* __restrict__ x, const float* __restrict__ f,
                                        const float* __restrict__ bias, float* __restrict__ y, Shape s) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= s.n * s.co * s.oh * s.ow) return;
    const int64_t j = e % s.ow, i = e / s.ow % s.oh, o = e / s.ow / s.oh % s.co, b = e / s.ow / s.oh / s.co;
    float acc = 0.f;
    for (int64_t r = 0; r < s.kh; ++r) {
        const int64_t u = i + s.padding - r * s.dilation;
        if (u % s.stride != 0) continue;
        for (int64_t t = 0; t < s.kw; ++t) {
            const int64_t v = j + s.padding - t * s.dilation;
            if (v % s.stride != 0) continue;
            if (u < 0 || u / s.stride >= s.h || v < 0 || v / s.stride >= s.w) continue;
            for (int64_t c = 0; c < s.ci; ++c)
                acc = fmaf(x[((b * s.ci + c) * s.h + u / s.stride) * s.w + v / s.stride],
                           f[((c * s.co + o) * s.kh + r) * s.kw + t], acc);
        }
    }
    y[e] = acc + bias[o];
}

void conv_transpose2d(const float* x, const float* f, const float* bias, float* y, int64_t n, int64_t ci, int64_t h,
                      int64_t w, int64_t co, int64_t kh, int64_t kw, int stride, int padding, int output_padding,
                      int dilation) {
    Shape s{n, ci, h, w, co, kh, kw, 0, 0, stride, padding, dilation};
    s.oh = (h - 1) * stride - 2 * padding + dilation * (kh - 1) + output_padding + 1;
    s.ow = (w - 1) * stride - 2 * padding + dilation * (kw - 1) + output_padding + 1;
    const int64_t total = n * co * s.oh * s.ow;
    if (total > 0) conv_transpose2d_kernel<<<(unsigned)((total + 63) / 64), 64>>>(x, f, bias, y, s);
}
