// control: positive
// contract: batch_norm_train
// bind: batch_norm_train(x, rm, rv, w, b, y, new_rm, new_rv, n, ch, l, momentum, eps)
#include <cuda_runtime.h>
#include <cstdint>

constexpr int kThreads = 64;

__device__ float block_sum(float v) {
    __shared__ float part[kThreads];
    part[threadIdx.x] = v;
    __syncthreads();
    for (int s = kThreads / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    const float total = part[0];
    __syncthreads();
    return total;
}

// A block a channel: the mean, then the squared deviations, then the outputs.
__global__ void batch_norm_kernel(const float* x, const float* rm, const float* rv, const float* w, const float* b,
                                  float* y, float* new_rm, float* new_rv, int64_t n, int64_t ch, int64_t l,
                                  float momentum, float eps) {
    const int64_t c = blockIdx.x;
    const int64_t m = n * l;
    float sum = 0.f;
    for (int64_t e = threadIdx.x; e < m; e += kThreads) sum += x[(e / l * ch + c) * l + e % l];
    const float mean = block_sum(sum) / (float)m;
    float squares = 0.f;
    for (int64_t e = threadIdx.x; e < m; e += kThreads) {
        const float d = x[(e / l * ch + c) * l + e % l] - mean;
        squares += d * d;
    }
    squares = block_sum(squares);
    const float scale = rsqrtf(squares / (float)m + eps);
    for (int64_t e = threadIdx.x; e < m; e += kThreads) {
        const int64_t at = (e / l * ch + c) * l + e % l;
        y[at] = (x[at] - mean) * scale * w[c] + b[c];
    }
    if (threadIdx.x == 0) {
        new_rm[c] = (1.f - momentum) * rm[c] + momentum * mean;
        new_rv[c] = (1.f - momentum) * rv[c] + momentum * (squares / (float)(m - 1));
    }
}

void batch_norm_train(const float* x, const float* rm, const float* rv, const float* w, const float* b, float* y,
                      float* new_rm, float* new_rv, int64_t n, int64_t ch, int64_t l, float momentum, float eps) {
    if (ch > 0)
        batch_norm_kernel<<<(unsigned)ch, kThreads>>>(x, rm, rv, w, b, y, new_rm, new_rv, n, ch, l, momentum, eps);
}
