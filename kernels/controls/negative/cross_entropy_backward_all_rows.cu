// control: negative
// contract: cross_entropy_backward
// gate: CMP-01
// also: CMP-02, CMP-03
// bind: cross_entropy_backward(x, t, dloss, dx, rows, classes, ignore)
// fault: the gradient is divided by all rows, also by those that are ignored
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>

__global__ void gradient_kernel(const float* x, const int64_t* t, const float* dloss, float* dx, int64_t rows,
                                int64_t classes, int64_t ignore) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float* logits = x + row * classes;
    float m = -INFINITY, s = 0.f;
    for (int64_t j = 0; j < classes; ++j) m = fmaxf(m, logits[j]);
    for (int64_t j = 0; j < classes; ++j) s += expf(logits[j] - m);
    for (int64_t j = 0; j < classes; ++j)
        dx[row * classes + j] =
            t[row] == ignore ? 0.f : (expf(logits[j] - m) / s - (j == t[row] ? 1.f : 0.f)) * *dloss / (float)rows;
}

void cross_entropy_backward(const float* x, const int64_t* t, const float* dloss, float* dx, int64_t rows,
                            int64_t classes, int64_t ignore) {
    if (rows > 0) gradient_kernel<<<(unsigned)((rows + 31) / 32), 32>>>(x, t, dloss, dx, rows, classes, ignore);
}
