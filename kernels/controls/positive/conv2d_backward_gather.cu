// control: positive
// contract: conv2d_backward
// where: n <= 2, ci <= 4, co <= 4, h <= 9, w <= 9, kh <= 3, kw <= 3
// bind: conv2d_backward(x, f, dy, dx, df, dbias, n, ci, h, w, co, kh, kw, stride, padding, dilation, groups)
#include <cuda_runtime.h>
#include <cstdint>

struct Shape {
    int64_t n, ci, h, w, co, kh, kw, oh, ow;
    int stride, padding, dilation, groups;
};

// Each gradient gathers what reaches it: no two threads write to one place.
__global__ void input_gradient(const float* __restrict__ f, const float* __restrict__ dy, float* __restrict__ dx,
                               Shape s) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= s.n * s.ci * s.h * s.w) return;
    const int64_t j = e % s.w, i = e / s.w % s.h, c = e / s.w / s.h % s.ci, b = e / s.w / s.h / s.ci;
    const int64_t each = s.ci / s.groups, outs = s.co / s.groups;
    float acc = 0.f;
    for (int64_t o = c / each * outs; o < (c / each + 1) * outs; ++o)
        for (int64_t r = 0; r < s.kh; ++r)
            for (int64_t t = 0; t < s.kw; ++t) {
                const int64_t u = i + s.padding - r * s.dilation, v = j + s.padding - t * s.dilation;
                if (u < 0 || v < 0 || u % s.stride != 0 || v % s.stride != 0) continue;
                if (u / s.stride >= s.oh || v / s.stride >= s.ow) continue;
                acc = fmaf(dy[((b * s.co + o) * s.oh + u / s.stride) * s.ow + v / s.stride],
                           f[((o * each + c % each) * s.kh + r) * s.kw + t], acc);
            }
    dx[e] = acc;
}

__global__ void filter_gradient(const float* __restrict__ x, const float* __restrict__ dy, float* __restrict__ df,
                                Shape s) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t each = s.ci / s.groups;
    if (e >= s.co * each * s.kh * s.kw) return;
    const int64_t t = e % s.kw, r = e / s.kw % s.kh, c = e / s.kw / s.kh % each, o = e / s.kw / s.kh / each;
    const int64_t channel = o / (s.co / s.groups) * each + c;
    float acc = 0.f;
    for (int64_t b = 0; b < s.n; ++b)
        for (int64_t i = 0; i < s.oh; ++i)
            for (int64_t j = 0; j < s.ow; ++j) {
                const int64_t u = i * s.stride - s.padding + r * s.dilation;
                const int64_t v = j * s.stride - s.padding + t * s.dilation;
                if (u < 0 || u >= s.h || v < 0 || v >= s.w) continue;
                acc = fmaf(dy[((b * s.co + o) * s.oh + i) * s.ow + j], x[((b * s.ci + channel) * s.h + u) * s.w + v],
                           acc);
            }
    df[e] = acc;
}

__global__ void bias_gradient(const float* __restrict__ dy, float* __restrict__ dbias, Shape s) {
    const int64_t o = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (o >= s.co) return;
    float acc = 0.f;
    for (int64_t b = 0; b < s.n; ++b)
        for (int64_t p = 0; p < s.oh * s.ow; ++p) acc += dy[(b * s.co + o) * s.oh * s.ow + p];
    dbias[o] = acc;
}

void conv2d_backward(const float* x, const float* f, const float* dy, float* dx, float* df, float* dbias, int64_t n,
                     int64_t ci, int64_t h, int64_t w, int64_t co, int64_t kh, int64_t kw, int stride, int padding,
                     int dilation, int groups) {
    Shape s{n, ci, h, w, co, kh, kw, 0, 0, stride, padding, dilation, groups};
    s.oh = (h + 2 * padding - dilation * (kh - 1) - 1) / stride + 1;
    s.ow = (w + 2 * padding - dilation * (kw - 1) - 1) / stride + 1;
    const int64_t inputs = n * ci * h * w, weights = co * (ci / groups) * kh * kw;
    if (inputs > 0) input_gradient<<<(unsigned)((inputs + 63) / 64), 64>>>(f, dy, dx, s);
    if (weights > 0) filter_gradient<<<(unsigned)((weights + 63) / 64), 64>>>(x, dy, df, s);
    bias_gradient<<<(unsigned)((co + 63) / 64), 64>>>(dy, dbias, s);
}
