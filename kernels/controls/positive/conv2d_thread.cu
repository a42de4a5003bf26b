// control: positive
// contract: conv2d
// where: n <= 2, ci <= 8, co <= 8, h <= 20, w <= 20, kh <= 3, kw <= 3
// bind: conv2d(x, f, bias, y, n, ci, h, w, co, kh, kw, stride, padding, dilation, groups)
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>

struct Shape {
    int64_t n, ci, h, w, co, kh, kw, oh, ow;
    int stride, padding, dilation, groups;
};

__device__ __forceinline__ float up(float v) { return v; }
__device__ __forceinline__ float up(__half v) { return __half2float(v); }
__device__ __forceinline__ void down(float* p, float v) { *p = v; }
__device__ __forceinline__ void down(__half* p, float v) { *p = __float2half(v); }

template <typename T>
__global__ void conv2d_kernel(const T* __restrict__ x, const T* __restrict__ f, const T* __restrict__ bias,
                              T* __restrict__ y, Shape s) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= s.n * s.co * s.oh * s.ow) return;
    const int64_t j = e % s.ow, i = e / s.ow % s.oh, o = e / s.ow / s.oh % s.co, b = e / s.ow / s.oh / s.co;
    const int64_t each = s.ci / s.groups, first = o / (s.co / s.groups) * each;
    float acc = 0.f;
    for (int64_t c = 0; c < each; ++c)
        for (int64_t r = 0; r < s.kh; ++r)
            for (int64_t t = 0; t < s.kw; ++t) {
                const int64_t u = i * s.stride - s.padding + r * s.dilation;
                const int64_t v = j * s.stride - s.padding + t * s.dilation;
                const bool inside = u >= 0 && u < s.h && v >= 0 && v < s.w;
                const float value = inside ? up(x[((b * s.ci + first + c) * s.h + u) * s.w + v]) : 0.f;
                acc = fmaf(value, up(f[((o * each + c) * s.kh + r) * s.kw + t]), acc);
            }
    down(y + e, acc + up(bias[o]));
}

template <typename T>
static void run(const T* x, const T* f, const T* bias, T* y, Shape s) {
    s.oh = (s.h + 2 * s.padding - s.dilation * (s.kh - 1) - 1) / s.stride + 1;
    s.ow = (s.w + 2 * s.padding - s.dilation * (s.kw - 1) - 1) / s.stride + 1;
    const int64_t total = s.n * s.co * s.oh * s.ow;
    if (total > 0) conv2d_kernel<<<(unsigned)((total + 63) / 64), 64>>>(x, f, bias, y, s);
}

void conv2d(const float* x, const float* f, const float* bias, float* y, int64_t n, int64_t ci, int64_t h, int64_t w,
            int64_t co, int64_t kh, int64_t kw, int stride, int padding, int dilation, int groups) {
    run(x, f, bias, y, {n, ci, h, w, co, kh, kw, 0, 0, stride, padding, dilation, groups});
}
void conv2d(const __half* x, const __half* f, const __half* bias, __half* y, int64_t n, int64_t ci, int64_t h,
            int64_t w, int64_t co, int64_t kh, int64_t kw, int stride, int padding, int dilation, int groups) {
    run(x, f, bias, y, {n, ci, h, w, co, kh, kw, 0, 0, stride, padding, dilation, groups});
}
