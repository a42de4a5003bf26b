// control: negative
// contract: max_pool2d
// gate: CMP-01
// also: CMP-03, ORD-01, EXC-01
// bind: max_pool2d(x, y, n, c, h, w, kernel, stride, padding)
// fault: the padding takes part as 0, so that a window of negative numbers at the edge is 0
#include <cuda_runtime.h>
#include <cstdint>

__global__ void max_pool2d_kernel(const float* x, float* y, int64_t total, int64_t h, int64_t w, int64_t oh,
                                  int64_t ow, int kernel, int stride, int padding) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= total) return;
    const float* plane = x + e / (oh * ow) * h * w;
    float m = -INFINITY;
    for (int r = 0; r < kernel; ++r)
        for (int t = 0; t < kernel; ++t) {
            const int64_t u = e / ow % oh * stride - padding + r, v = e % ow * stride - padding + t;
            const float value = u >= 0 && u < h && v >= 0 && v < w ? plane[u * w + v] : 0.f;
            m = m > value || m != m ? m : value;
        }
    y[e] = m;
}

void max_pool2d(const float* x, float* y, int64_t n, int64_t c, int64_t h, int64_t w, int kernel, int stride,
                int padding) {
    const int64_t down = h + 2 * padding - kernel, across = w + 2 * padding - kernel;
    if (n * c == 0 || down < 0 || across < 0) return;
    const int64_t oh = down / stride + 1, ow = across / stride + 1, total = n * c * oh * ow;
    max_pool2d_kernel<<<(unsigned)((total + 63) / 64), 64>>>(x, y, total, h, w, oh, ow, kernel, stride, padding);
}
