// control: negative
// contract: segmented_cumsum
// where: rows <= 40, cols <= 40
// gate: CMP-01
// also: CMP-03, ORD-01, ORD-03
// fault: a head restarts its own sum, but the warp's carry is added to every piece of 32 that follows
#include <cuda_runtime.h>
#include <cstdint>

__global__ void segmented_kernel(const float* __restrict__ x, const int64_t* __restrict__ head, float* __restrict__ y,
                                 int64_t rows, int64_t cols) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float carry = 0.f;
    for (int64_t base = 0; base < cols; base += 32) {
        const int64_t end = base + 32 < cols ? base + 32 : cols;
        float sum = 0.f;
        for (int64_t j = base; j < end; ++j) {
            sum = (head[row * cols + j] ? 0.f : sum) + x[row * cols + j];
            y[row * cols + j] = sum + carry;
        }
        carry = y[row * cols + end - 1];
    }
}

void segmented_cumsum(const float* x, const int64_t* head, float* y, int64_t rows, int64_t cols) {
    if (rows > 0) segmented_kernel<<<(unsigned)((rows + 31) / 32), 32>>>(x, head, y, rows, cols);
}
