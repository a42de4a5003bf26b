// control: positive
// contract: huber_loss
// bind: huber_loss(x, t, loss, n, delta)
#include <cuda_runtime.h>
#include <cstdint>

constexpr int kThreads = 64;

__global__ void huber_kernel(const float* __restrict__ x, const float* __restrict__ t, float* loss, int64_t n,
                             float delta) {
    __shared__ float part[kThreads];
    float sum = 0.f;
    for (int64_t i = threadIdx.x; i < n; i += kThreads) {
        const float d = fabsf(x[i] - t[i]);
        sum += d <= delta ? 0.5f * d * d : delta * (d - 0.5f * delta);
    }
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int s = kThreads / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) *loss = part[0] / (float)n;
}

void huber_loss(const float* x, const float* t, float* loss, int64_t n, float delta) {
    huber_kernel<<<1, kThreads>>>(x, t, loss, n, delta);
}
