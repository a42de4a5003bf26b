// control: positive
// contract: max_pool3d
// bind: max_pool3d(x, y, n, c, d, h, w, kernel, stride, padding)
#include <cuda_runtime.h>
#include <cstdint>

__device__ __forceinline__ float larger(float a, float b) { return a > b || a != a ? a : b; }

__global__ void max_pool3d_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t total, int64_t d,
                                  int64_t h, int64_t w, int64_t od, int64_t oh, int64_t ow, int kernel, int stride,
                                  int padding) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= total) return;
    const float* volume = x + e / (od * oh * ow) * d * h * w;
    const int64_t front = e / (oh * ow) % od * stride - padding;
    const int64_t top = e / ow % oh * stride - padding;
    const int64_t left = e % ow * stride - padding;
    float m = -INFINITY;
    for (int64_t a = front < 0 ? 0 : front; a < front + kernel && a < d; ++a)
        for (int64_t u = top < 0 ? 0 : top; u < top + kernel && u < h; ++u)
            for (int64_t v = left < 0 ? 0 : left; v < left + kernel && v < w; ++v)
                m = larger(m, volume[(a * h + u) * w + v]);
    y[e] = m;
}

void max_pool3d(const float* x, float* y, int64_t n, int64_t c, int64_t d, int64_t h, int64_t w, int kernel,
                int stride, int padding) {
    const int64_t a = d + 2 * padding - kernel, u = h + 2 * padding - kernel, v = w + 2 * padding - kernel;
    if (n * c == 0 || a < 0 || u < 0 || v < 0) return;
    const int64_t od = a / stride + 1, oh = u / stride + 1, ow = v / stride + 1, total = n * c * od * oh * ow;
    max_pool3d_kernel<<<(unsigned)((total + 63) / 64), 64>>>(x, y, total, d, h, w, od, oh, ow, kernel, stride,
                                                              padding);
}
