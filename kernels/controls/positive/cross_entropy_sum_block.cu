// control: positive
// contract: cross_entropy_sum
// bind: cross_entropy(x, t, loss, rows, classes, ignore)
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>

// One block; a warp a row at a time, then the warps' sums in order.
__global__ void cross_entropy_kernel(const float* __restrict__ x, const int64_t* __restrict__ t, float* loss,
                                     int64_t rows, int64_t classes, int64_t ignore) {
    __shared__ float part[4];
    float total = 0.f;
    for (int64_t row = threadIdx.y; row < rows; row += 4) {
        const int64_t target = t[row];
        if (target == ignore) continue;  // the same for the whole warp
        const float* logits = x + row * classes;
        float m = -INFINITY, s = 0.f;
        for (int64_t j = threadIdx.x; j < classes; j += 32) m = fmaxf(m, logits[j]);
        for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
        for (int64_t j = threadIdx.x; j < classes; j += 32) s += expf(logits[j] - m);
        for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
        total -= logits[target] - m - logf(s);
    }
    if (threadIdx.x == 0) part[threadIdx.y] = total;
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) *loss = part[0] + part[1] + part[2] + part[3];
}

void cross_entropy(const float* x, const int64_t* t, float* loss, int64_t rows, int64_t classes, int64_t ignore) {
    cross_entropy_kernel<<<1, dim3(32, 4)>>>(x, t, loss, rows, classes, ignore);
}
