// control: positive
// contract: l2_normalize
// bind: l2_normalize(x, y, rows, cols, eps)
#include <cuda_runtime.h>
#include <cstdint>

__global__ void l2_normalize_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t rows, int64_t cols,
                                    float eps) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float q = 0.f;
    for (int64_t j = threadIdx.x; j < cols; j += 32) q += x[row * cols + j] * x[row * cols + j];
    for (int o = 16; o > 0; o >>= 1) q += __shfl_xor_sync(0xffffffffu, q, o);
    const float norm = sqrtf(q);
    const float den = norm < eps ? eps : norm;  // a NaN stays
    for (int64_t j = threadIdx.x; j < cols; j += 32) y[row * cols + j] = x[row * cols + j] / den;
}

void l2_normalize(const float* x, float* y, int64_t rows, int64_t cols, float eps) {
    if (rows > 0 && cols > 0)
        l2_normalize_kernel<<<(unsigned)((rows + 3) / 4), dim3(32, 4)>>>(x, y, rows, cols, eps);
}
