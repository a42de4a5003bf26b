// control: positive
// contract: dot
#include <cuda_runtime.h>
#include <cstdint>

constexpr int kThreads = 64;
constexpr int kBlocks = 32;

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

__global__ void partial_dots(const float* a, const float* b, float* parts, int64_t n) {
    float acc = 0.f;
    for (int64_t i = (int64_t)blockIdx.x * kThreads + threadIdx.x; i < n; i += kBlocks * kThreads)
        acc = fmaf(a[i], b[i], acc);
    acc = block_sum(acc);
    if (threadIdx.x == 0) parts[blockIdx.x] = acc;
}

__global__ void finish(const float* parts, float* y) {
    const float sum = block_sum(threadIdx.x < kBlocks ? parts[threadIdx.x] : 0.f);
    if (threadIdx.x == 0) *y = sum;
}

void dot(const float* a, const float* b, float* y, int64_t n) {
    float* parts = nullptr;
    cudaMalloc(&parts, kBlocks * sizeof(float));
    partial_dots<<<kBlocks, kThreads>>>(a, b, parts, n);
    finish<<<1, kThreads>>>(parts, y);
    cudaFree(parts);
}
