// control: positive
// contract: cross_entropy_backward
// bind: cross_entropy_backward(x, t, dloss, dx, rows, classes, ignore)
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>

__global__ void count_kernel(const int64_t* t, int64_t rows, int64_t ignore, int* counted) {
    int mine = 0;
    for (int64_t r = threadIdx.x; r < rows; r += 32) mine += t[r] != ignore;
    for (int o = 16; o > 0; o >>= 1) mine += __shfl_xor_sync(0xffffffffu, mine, o);
    if (threadIdx.x == 0) *counted = mine;
}

__global__ void gradient_kernel(const float* __restrict__ x, const int64_t* __restrict__ t, const float* dloss,
                                float* __restrict__ dx, int64_t rows, int64_t classes, int64_t ignore,
                                const int* counted) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const float* logits = x + row * classes;
    float* out = dx + row * classes;
    const int64_t target = t[row];
    if (target == ignore) {  // the same for the whole warp
        for (int64_t j = threadIdx.x; j < classes; j += 32) out[j] = 0.f;
        return;
    }
    float m = -INFINITY, s = 0.f;
    for (int64_t j = threadIdx.x; j < classes; j += 32) m = fmaxf(m, logits[j]);
    for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
    for (int64_t j = threadIdx.x; j < classes; j += 32) s += expf(logits[j] - m);
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    const float g = *dloss / (float)*counted;
    for (int64_t j = threadIdx.x; j < classes; j += 32)
        out[j] = (expf(logits[j] - m) / s - (j == target ? 1.f : 0.f)) * g;
}

void cross_entropy_backward(const float* x, const int64_t* t, const float* dloss, float* dx, int64_t rows,
                            int64_t classes, int64_t ignore) {
    if (rows == 0) return;
    int* counted = nullptr;
    cudaMalloc(&counted, sizeof(int));
    count_kernel<<<1, 32>>>(t, rows, ignore, counted);
    gradient_kernel<<<(unsigned)((rows + 3) / 4), dim3(32, 4)>>>(x, t, dloss, dx, rows, classes, ignore, counted);
    cudaFree(counted);
}
