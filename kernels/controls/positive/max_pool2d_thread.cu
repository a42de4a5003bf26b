// control: positive
// contract: max_pool2d
// bind: max_pool2d(x, y, n, c, h, w, kernel, stride, padding)
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>

__device__ __forceinline__ float up(float v) { return v; }
__device__ __forceinline__ float up(__half v) { return __half2float(v); }
__device__ __forceinline__ void down(float* p, float v) { *p = v; }
__device__ __forceinline__ void down(__half* p, float v) { *p = __float2half(v); }
__device__ __forceinline__ float larger(float a, float b) { return a > b || a != a ? a : b; }

template <typename T>
__global__ void max_pool2d_kernel(const T* __restrict__ x, T* __restrict__ y, int64_t total, int64_t h, int64_t w,
                                  int64_t oh, int64_t ow, int kernel, int stride, int padding) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= total) return;
    const T* plane = x + e / (oh * ow) * h * w;
    const int64_t top = e / ow % oh * stride - padding, left = e % ow * stride - padding;
    float m = -INFINITY;
    for (int64_t u = top < 0 ? 0 : top; u < top + kernel && u < h; ++u)
        for (int64_t v = left < 0 ? 0 : left; v < left + kernel && v < w; ++v) m = larger(m, up(plane[u * w + v]));
    down(y + e, m);
}

template <typename T>
static void run(const T* x, T* y, int64_t n, int64_t c, int64_t h, int64_t w, int kernel, int stride, int padding) {
    const int64_t down_span = h + 2 * padding - kernel, across = w + 2 * padding - kernel;
    if (n * c == 0 || down_span < 0 || across < 0) return;
    const int64_t oh = down_span / stride + 1, ow = across / stride + 1, total = n * c * oh * ow;
    max_pool2d_kernel<<<(unsigned)((total + 63) / 64), 64>>>(x, y, total, h, w, oh, ow, kernel, stride, padding);
}

void max_pool2d(const float* x, float* y, int64_t n, int64_t c, int64_t h, int64_t w, int kernel, int stride,
                int padding) {
    run(x, y, n, c, h, w, kernel, stride, padding);
}
void max_pool2d(const __half* x, __half* y, int64_t n, int64_t c, int64_t h, int64_t w, int kernel, int stride,
                int padding) {
    run(x, y, n, c, h, w, kernel, stride, padding);
}
