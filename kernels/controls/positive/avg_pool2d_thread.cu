// control: positive
// contract: avg_pool2d
// bind: avg_pool2d(x, y, n, c, h, w, kernel, stride, padding)
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cstdint>

__device__ __forceinline__ float up(float v) { return v; }
__device__ __forceinline__ float up(__nv_bfloat16 v) { return __bfloat162float(v); }
__device__ __forceinline__ void down(float* p, float v) { *p = v; }
__device__ __forceinline__ void down(__nv_bfloat16* p, float v) { *p = __float2bfloat16(v); }

template <typename T>
__global__ void avg_pool2d_kernel(const T* __restrict__ x, T* __restrict__ y, int64_t total, int64_t h, int64_t w,
                                  int64_t oh, int64_t ow, int kernel, int stride, int padding) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= total) return;
    const T* plane = x + e / (oh * ow) * h * w;
    const int64_t top = e / ow % oh * stride - padding, left = e % ow * stride - padding;
    float sum = 0.f;
    for (int64_t u = top < 0 ? 0 : top; u < top + kernel && u < h; ++u)
        for (int64_t v = left < 0 ? 0 : left; v < left + kernel && v < w; ++v) sum += up(plane[u * w + v]);
    down(y + e, sum / (float)(kernel * kernel));
}

template <typename T>
static void run(const T* x, T* y, int64_t n, int64_t c, int64_t h, int64_t w, int kernel, int stride, int padding) {
    const int64_t down_span = h + 2 * padding - kernel, across = w + 2 * padding - kernel;
    if (n * c == 0 || down_span < 0 || across < 0) return;
    const int64_t oh = down_span / stride + 1, ow = across / stride + 1, total = n * c * oh * ow;
    avg_pool2d_kernel<<<(unsigned)((total + 63) / 64), 64>>>(x, y, total, h, w, oh, ow, kernel, stride, padding);
}

void avg_pool2d(const float* x, float* y, int64_t n, int64_t c, int64_t h, int64_t w, int kernel, int stride,
                int padding) {
    run(x, y, n, c, h, w, kernel, stride, padding);
}
void avg_pool2d(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t n, int64_t c, int64_t h, int64_t w, int kernel,
                int stride, int padding) {
    run(x, y, n, c, h, w, kernel, stride, padding);
}
