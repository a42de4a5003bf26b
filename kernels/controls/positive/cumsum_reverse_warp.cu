// control: positive
// contract: cumsum_reverse
// where: cols <= 160
#include <cuda_runtime.h>
#include <cstdint>

// A warp a row, from the end: lane 0 holds the last element of each piece of 32.
__global__ void cumsum_reverse_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t rows, int64_t cols) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const int lane = threadIdx.x;
    float carry = 0.f;
    for (int64_t base = 0; base < cols; base += 32) {
        const int64_t j = cols - 1 - (base + lane);
        float v = j >= 0 ? x[row * cols + j] : 0.f;
        for (int o = 1; o < 32; o <<= 1) {
            const float before = __shfl_up_sync(0xffffffffu, v, o);
            if (lane >= o) v += before;
        }
        v += carry;
        if (j >= 0) y[row * cols + j] = v;
        carry = __shfl_sync(0xffffffffu, v, 31);
    }
}

void cumsum_reverse(const float* x, float* y, int64_t rows, int64_t cols) {
    if (rows > 0 && cols > 0) cumsum_reverse_kernel<<<(unsigned)((rows + 3) / 4), dim3(32, 4)>>>(x, y, rows, cols);
}
