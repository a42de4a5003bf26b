// control: positive
// contract: conv3d
// where: n <= 4, ci <= 8, co <= 8, d <= 16, h <= 16, w <= 16, kd <= 4, kh <= 4, kw <= 4
// bind: conv3d(x, f, bias, y, n, ci, d, h, w, co, kd, kh, kw, stride, padding, dilation, groups)
#include <cuda_runtime.h>
#include <cstdint>

struct Shape {
    int64_t n, ci, d, h, w, co, kd, kh, kw, od, oh, ow;
    int stride, padding, dilation, groups;
};

__global__ void conv3d_kernel(const float* __restrict__ x, const float* __restrict__ f,
                              const float* __restrict__ bias, float* __restrict__ y, Shape s) {
    int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= s.n * s.co * s.od * s.oh * s.ow) return;
    float* out = y + e;
    const int64_t j = e % s.ow, i = (e /= s.ow) % s.oh, z = (e /= s.oh) % s.od, o = (e /= s.od) % s.co, b = e / s.co;
    const int64_t each = s.ci / s.groups, first = o / (s.co / s.groups) * each;
    float acc = 0.f;
    for (int64_t c = 0; c < each; ++c)
        for (int64_t q = 0; q < s.kd; ++q)
            for (int64_t r = 0; r < s.kh; ++r)
                for (int64_t t = 0; t < s.kw; ++t) {
                    const int64_t a = z * s.stride - s.padding + q * s.dilation;
                    const int64_t u = i * s.stride - s.padding + r * s.dilation;
                    const int64_t v = j * s.stride - s.padding + t * s.dilation;
                    const bool inside = a >= 0 && a < s.d && u >= 0 && u < s.h && v >= 0 && v < s.w;
                    const float value =
                        inside ? x[(((b * s.ci + first + c) * s.d + a) * s.h + u) * s.w + v] : 0.f;
                    acc = fmaf(value, f[(((o * each + c) * s.kd + q) * s.kh + r) * s.kw + t], acc);
                }
    *out = acc + bias[o];
}

void conv3d(const float* x, const float* f, const float* bias, float* y, int64_t n, int64_t ci, int64_t d, int64_t h,
            int64_t w, int64_t co, int64_t kd, int64_t kh, int64_t kw, int stride, int padding, int dilation,
            int groups) {
    Shape s{n, ci, d, h, w, co, kd, kh, kw, 0, 0, 0, stride, padding, dilation, groups};
    s.od = (d + 2 * padding - dilation * (kd - 1) - 1) / stride + 1;
    s.oh = (h + 2 * padding - dilation * (kh - 1) - 1) / stride + 1;
    s.ow = (w + 2 * padding - dilation * (kw - 1) - 1) / stride + 1;
    const int64_t total = n * co * s.od * s.oh * s.ow;
    if (total > 0) conv3d_kernel<<<(unsigned)((total + 63) / 64), 64>>>(x, f, bias, y, s);
}
