// contract: conv2d --where "n <= 2, ci <= 8, co <= 8, h <= 20, w <= 20, kh <= 3, kw <= 3"
#include <cuda_runtime.h>

typedef struct {
    int n, ci, h, w, co, kh, kw;
    int stride, padding, dilation, groups;
    int oh, ow;
} ConvParams;

__global__ void conv2d_direct(const float* __restrict__ x, const float* __restrict__ f, const float* __restrict__ bias,
                              float* __restrict__ y, ConvParams p) {
    const int total = p.n * p.co * p.oh * p.ow;
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= total) return;
    const int ow = idx % p.ow, oh = (idx / p.ow) % p.oh, oc = (idx / (p.ow * p.oh)) % p.co, n = idx / (p.ow * p.oh * p.co);
    const int cpg = p.ci / p.groups;
    const int group = oc / (p.co / p.groups);
    float acc = 0.0f;
    for (int c = 0; c < cpg; ++c)
        for (int r = 0; r < p.kh; ++r) {
            const int ih = oh * p.stride - p.padding + r * p.dilation;
            if (ih < 0 || ih >= p.h) continue;
            for (int s = 0; s < p.kw; ++s) {
                const int iw = ow * p.stride - p.padding + s * p.dilation;
                if (iw < 0 || iw >= p.w) continue;
                acc += x[((n * p.ci + group * cpg + c) * p.h + ih) * p.w + iw] * f[((oc * cpg + c) * p.kh + r) * p.kw + s];
            }
        }
    y[idx] = acc + bias[oc];
}

void conv2d_forward(const float* x, const float* weight, const float* bias, float* y, int n, int ci, int h, int w,
                    int co, int kh, int kw, int stride, int padding, int dilation, int groups) {
    ConvParams p;
    p.n = n; p.ci = ci; p.h = h; p.w = w; p.co = co; p.kh = kh; p.kw = kw;
    p.stride = stride; p.padding = padding; p.dilation = dilation; p.groups = groups;
    p.oh = (h + 2 * padding - dilation * (kh - 1) - 1) / stride + 1;
    p.ow = (w + 2 * padding - dilation * (kw - 1) - 1) / stride + 1;
    const int total = n * co * p.oh * p.ow;
    if (total > 0) conv2d_direct<<<(total + 127) / 128, 128>>>(x, weight, bias, y, p);
}
