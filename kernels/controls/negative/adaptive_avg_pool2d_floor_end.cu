// control: negative
// contract: adaptive_avg_pool2d
// gate: CMP-03
// also: CMP-01, ORD-01
// fault: windows end at the floor of (i + 1) * h / oh, which is right only where oh divides h
#include <cuda_runtime.h>
#include <cstdint>

__global__ void adaptive_avg_pool2d_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t total,
                                           int64_t h, int64_t w, int64_t oh, int64_t ow) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= total) return;
    const float* plane = x + e / (oh * ow) * h * w;
    const int64_t i = e / ow % oh, j = e % ow;
    const int64_t top = i * h / oh, bottom = (i + 1) * h / oh, left = j * w / ow, right = (j + 1) * w / ow;
    float sum = 0.f;
    for (int64_t r = top; r < bottom; ++r)
        for (int64_t s = left; s < right; ++s) sum += plane[r * w + s];
    y[e] = sum / (float)((bottom - top) * (right - left));
}

void adaptive_avg_pool2d(const float* x, float* y, int64_t n, int64_t c, int64_t h, int64_t w, int64_t oh,
                         int64_t ow) {
    const int64_t total = n * c * oh * ow;
    if (total > 0) adaptive_avg_pool2d_kernel<<<(unsigned)((total + 63) / 64), 64>>>(x, y, total, h, w, oh, ow);
}
