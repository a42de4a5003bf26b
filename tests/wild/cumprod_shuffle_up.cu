// contract: cumprod
#include <cuda_runtime.h>
#include <cstdint>

__global__ void cumprod_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t rows, int64_t cols) {
    const int lane = threadIdx.x & 31;
    const int64_t row = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (row >= rows) return;
    float carry = 1.0f;
    for (int64_t base = 0; base < cols; base += 32) {
        const int64_t c = base + lane;
        float v = c < cols ? x[row * cols + c] : 1.0f;
        for (int d = 1; d < 32; d <<= 1) {
            const float up = __shfl_up_sync(0xffffffffu, v, d);
            if (lane >= d) v *= up;
        }
        v *= carry;
        if (c < cols) y[row * cols + c] = v;
        carry = __shfl_sync(0xffffffffu, v, 31);
    }
}

void cumprod(const float* x, float* y, int64_t rows, int64_t cols) {
    if (rows * cols == 0) return;
    const int threads = 64;
    cumprod_kernel<<<(unsigned)((rows * 32 + threads - 1) / threads), threads>>>(x, y, rows, cols);
}
