// control: negative
// contract: masked_cumsum
// where: cols <= 160
// gate: CMP-01
// also: CMP-03, ORD-01, ORD-03
// fault: the mask is read at the column alone, so that all rows share the first one's
#include <cuda_runtime.h>
#include <cstdint>

__global__ void masked_cumsum_kernel(const float* __restrict__ x, const bool* __restrict__ mask, float* __restrict__ y,
                                     int64_t rows, int64_t cols) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.f;
    for (int64_t j = 0; j < cols; ++j) {
        if (mask[j]) sum += x[row * cols + j];
        y[row * cols + j] = sum;
    }
}

void masked_cumsum(const float* x, const bool* mask, float* y, int64_t rows, int64_t cols) {
    if (rows > 0) masked_cumsum_kernel<<<(unsigned)((rows + 31) / 32), 32>>>(x, mask, y, rows, cols);
}
