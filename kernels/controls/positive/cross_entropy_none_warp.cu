// control: positive
// contract: cross_entropy_none
// bind: cross_entropy(x, t, loss, rows, classes, ignore)
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>

__global__ void cross_entropy_kernel(const float* __restrict__ x, const int64_t* __restrict__ t,
                                     float* __restrict__ loss, int64_t rows, int64_t classes, int64_t ignore) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const int64_t target = t[row];
    if (target == ignore) {  // the same for the whole warp
        if (threadIdx.x == 0) loss[row] = 0.f;
        return;
    }
    const float* logits = x + row * classes;
    float m = -INFINITY, s = 0.f;
    for (int64_t j = threadIdx.x; j < classes; j += 32) m = fmaxf(m, logits[j]);
    for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
    for (int64_t j = threadIdx.x; j < classes; j += 32) s += expf(logits[j] - m);
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    if (threadIdx.x == 0) loss[row] = -(logits[target] - m - logf(s));
}

void cross_entropy(const float* x, const int64_t* t, float* loss, int64_t rows, int64_t classes, int64_t ignore) {
    if (rows > 0)
        cross_entropy_kernel<<<(unsigned)((rows + 3) / 4), dim3(32, 4)>>>(x, t, loss, rows, classes, ignore);
}
