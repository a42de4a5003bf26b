// control: positive
// contract: mse_loss
#include <cuda_runtime.h>
#include <cstdint>

constexpr int kThreads = 128;
constexpr int kBlocks = 64;

__device__ float block_sum(float v) {
    __shared__ float part[kThreads];
    part[threadIdx.x] = v;
    __syncthreads();
    for (int s = kThreads / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    return part[0];
}

__global__ void partial_squares(const float* x, const float* t, float* parts, int64_t n) {
    float sum = 0.f;
    for (int64_t i = (int64_t)blockIdx.x * kThreads + threadIdx.x; i < n; i += (int64_t)kBlocks * kThreads) {
        const float d = x[i] - t[i];
        sum += d * d;
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

__global__ void finish(const float* parts, float* loss, int64_t n) {
    const float sum = block_sum(threadIdx.x < kBlocks ? parts[threadIdx.x] : 0.f);
    if (threadIdx.x == 0) *loss = sum / (float)n;
}

void mse_loss(const float* x, const float* t, float* loss, int64_t n) {
    float* parts = nullptr;
    cudaMalloc(&parts, kBlocks * sizeof(float));
    partial_squares<<<kBlocks, kThreads>>>(x, t, parts, n);
    finish<<<1, kThreads>>>(parts, loss, n);
    cudaFree(parts);
}
