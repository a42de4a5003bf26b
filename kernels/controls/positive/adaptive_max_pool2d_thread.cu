// control: positive
// contract: adaptive_max_pool2d
#include <cuda_runtime.h>
#include <cstdint>

__device__ __forceinline__ float larger(float a, float b) { return a > b || a != a ? a : b; }

__global__ void adaptive_max_pool2d_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t total,
                                           int64_t h, int64_t w, int64_t oh, int64_t ow) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= total) return;
    const float* plane = x + e / (oh * ow) * h * w;
    const int64_t i = e / ow % oh, j = e % ow;
    float m = -INFINITY;
    for (int64_t r = i * h / oh; r < ((i + 1) * h + oh - 1) / oh; ++r)
        for (int64_t s = j * w / ow; s < ((j + 1) * w + ow - 1) / ow; ++s) m = larger(m, plane[r * w + s]);
    y[e] = m;
}

void adaptive_max_pool2d(const float* x, float* y, int64_t n, int64_t c, int64_t h, int64_t w, int64_t oh,
                         int64_t ow) {
    const int64_t total = n * c * oh * ow;
    if (total > 0) adaptive_max_pool2d_kernel<<<(unsigned)((total + 63) / 64), 64>>>(x, y, total, h, w, oh, ow);
}
