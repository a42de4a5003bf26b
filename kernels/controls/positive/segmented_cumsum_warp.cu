// control: positive
// contract: segmented_cumsum
// where: rows <= 40, cols <= 40
#include <cuda_runtime.h>
#include <cstdint>

// The segmented scan: a pair (flag, value) absorbs what stands before it unless its flag is set. The values
// are selected, not multiplied, so that an infinity of one segment never meets another.
__global__ void segmented_kernel(const float* __restrict__ x, const int64_t* __restrict__ head, float* __restrict__ y,
                                 int64_t rows, int64_t cols) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const int lane = threadIdx.x;
    float carry = 0.f;
    for (int64_t base = 0; base < cols; base += 32) {
        const int64_t j = base + lane;
        float v = j < cols ? x[row * cols + j] : 0.f;
        int flag = j < cols ? (int)head[row * cols + j] : 0;
        for (int o = 1; o < 32; o <<= 1) {
            const float before = __shfl_up_sync(0xffffffffu, v, o);
            const int flag_before = __shfl_up_sync(0xffffffffu, flag, o);
            if (lane >= o) {
                if (!flag) v += before;
                flag |= flag_before;
            }
        }
        v += flag ? 0.f : carry;  // a sum starts at +0: -0 alone becomes +0, as in torch.cumsum
        if (j < cols) y[row * cols + j] = v;
        carry = __shfl_sync(0xffffffffu, v, 31);
    }
}

void segmented_cumsum(const float* x, const int64_t* head, float* y, int64_t rows, int64_t cols) {
    if (rows > 0 && cols > 0) segmented_kernel<<<(unsigned)((rows + 3) / 4), dim3(32, 4)>>>(x, head, y, rows, cols);
}
