// control: positive
// contract: var
// bind: var(x, y, rows, cols, correction)
#include <cuda_runtime.h>
#include <cstdint>

// A warp a row; each lane keeps a running mean, and the lanes' moments are merged pairwise (Chan et al.).
__global__ void var_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t rows, int64_t cols,
                           int correction) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float count = 0.f, mean = 0.f, m2 = 0.f;
    for (int64_t j = threadIdx.x; j < cols; j += 32) {
        const float v = x[row * cols + j];
        count += 1.f;
        const float d = v - mean;
        mean += d / count;
        m2 += d * (v - mean);
    }
    for (int o = 16; o > 0; o >>= 1) {
        const float other_count = __shfl_down_sync(0xffffffffu, count, o);
        const float other_mean = __shfl_down_sync(0xffffffffu, mean, o);
        const float other_m2 = __shfl_down_sync(0xffffffffu, m2, o);
        const float both = count + other_count;
        if (other_count > 0.f) {
            const float d = other_mean - mean;
            mean += d * (other_count / both);
            m2 += other_m2 + d * d * (count * (other_count / both));
            count = both;
        }
    }
    if (threadIdx.x == 0) y[row] = m2 / (float)(cols > correction ? cols - correction : 0);  // 0 / 0 of too few
}

void var(const float* x, float* y, int64_t rows, int64_t cols, int correction) {
    if (rows > 0) var_kernel<<<(unsigned)((rows + 3) / 4), dim3(32, 4)>>>(x, y, rows, cols, correction);
}
