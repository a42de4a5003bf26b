// control: positive
// contract: max_pool1d
// bind: max_pool1d(x, y, n, c, l, kernel, stride, padding)
#include <cuda_runtime.h>
#include <cstdint>

__device__ __forceinline__ float larger(float a, float b) { return a > b || a != a ? a : b; }

__global__ void max_pool1d_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t total, int64_t l,
                                  int64_t out, int kernel, int stride, int padding) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= total) return;
    const float* row = x + e / out * l;
    float m = -INFINITY;
    for (int r = 0; r < kernel; ++r) {
        const int64_t u = e % out * stride - padding + r;
        if (u >= 0 && u < l) m = larger(m, row[u]);
    }
    y[e] = m;
}

void max_pool1d(const float* x, float* y, int64_t n, int64_t c, int64_t l, int kernel, int stride, int padding) {
    const int64_t span = l + 2 * padding - kernel;
    if (n * c == 0 || span < 0) return;
    const int64_t out = span / stride + 1, total = n * c * out;
    max_pool1d_kernel<<<(unsigned)((total + 63) / 64), 64>>>(x, y, total, l, out, kernel, stride, padding);
}
