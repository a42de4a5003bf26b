// control: positive
// contract: linear_relu
// where: m <= 64, n <= 64, k <= 300
#include <cuda_runtime.h>
#include <cstdint>

__global__ void linear_relu_kernel(const float* __restrict__ x, const float* __restrict__ w,
                                   const float* __restrict__ b, float* __restrict__ y, int64_t m, int64_t n,
                                   int64_t k) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m * n) return;
    const int64_t i = e / n, j = e % n;
    float acc = 0.f;
    for (int64_t p = 0; p < k; ++p) acc = fmaf(x[i * k + p], w[j * k + p], acc);
    const float h = acc + b[j];
    y[e] = h < 0.f ? 0.f : h;
}

void linear_relu(const float* x, const float* w, const float* b, float* y, int64_t m, int64_t n, int64_t k) {
    if (m * n > 0) linear_relu_kernel<<<(unsigned)((m * n + 63) / 64), 64>>>(x, w, b, y, m, n, k);
}
