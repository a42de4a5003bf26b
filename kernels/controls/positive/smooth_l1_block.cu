// control: positive
// contract: smooth_l1_loss
// bind: smooth_l1_loss(x, t, loss, n, beta)
#include <cuda_runtime.h>
#include <cstdint>

constexpr int kThreads = 128;

__global__ void smooth_l1_kernel(const float* __restrict__ x, const float* __restrict__ t, float* loss, int64_t n,
                                 float beta) {
    __shared__ float part[kThreads];
    float sum = 0.f;
    for (int64_t i = threadIdx.x; i < n; i += kThreads) {
        const float d = fabsf(x[i] - t[i]);
        sum += d < beta ? 0.5f * d * d / beta : d - 0.5f * beta;
    }
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int s = kThreads / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) *loss = part[0] / (float)n;
}

void smooth_l1_loss(const float* x, const float* t, float* loss, int64_t n, float beta) {
    smooth_l1_kernel<<<1, kThreads>>>(x, t, loss, n, beta);
}
