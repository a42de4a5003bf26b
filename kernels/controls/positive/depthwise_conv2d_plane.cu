// control: positive
// contract: depthwise_conv2d
// where: n <= 2, ch <= 8, h <= 40, w <= 40, kh <= 3, kw <= 3
// bind: depthwise_conv2d(x, f, bias, y, n, ch, h, w, kh, kw, stride, padding, dilation)
#include <cuda_runtime.h>
#include <cstdint>

// A block a plane: one channel of one sample.
__global__ void depthwise_kernel(const float* __restrict__ x, const float* __restrict__ f,
                                 const float* __restrict__ bias, float* __restrict__ y, int64_t ch, int64_t h,
                                 int64_t w, int64_t kh, int64_t kw, int64_t oh, int64_t ow, int stride, int padding,
                                 int dilation) {
    const int64_t c = blockIdx.x % ch;
    const float* plane = x + (int64_t)blockIdx.x * h * w;
    for (int64_t e = threadIdx.x; e < oh * ow; e += blockDim.x) {
        float acc = 0.f;
        for (int64_t r = 0; r < kh; ++r)
            for (int64_t t = 0; t < kw; ++t) {
                const int64_t u = e / ow * stride - padding + r * dilation;
                const int64_t v = e % ow * stride - padding + t * dilation;
                if (u >= 0 && u < h && v >= 0 && v < w) acc = fmaf(plane[u * w + v], f[(c * kh + r) * kw + t], acc);
            }
        y[(int64_t)blockIdx.x * oh * ow + e] = acc + bias[c];
    }
}

void depthwise_conv2d(const float* x, const float* f, const float* bias, float* y, int64_t n, int64_t ch, int64_t h,
                      int64_t w, int64_t kh, int64_t kw, int stride, int padding, int dilation) {
    const int64_t oh = (h + 2 * padding - dilation * (kh - 1) - 1) / stride + 1;
    const int64_t ow = (w + 2 * padding - dilation * (kw - 1) - 1) / stride + 1;
    if (n * ch > 0 && oh > 0 && ow > 0)
        depthwise_kernel<<<(unsigned)(n * ch), 64>>>(x, f, bias, y, ch, h, w, kh, kw, oh, ow, stride, padding,
                                                      dilation);
}
