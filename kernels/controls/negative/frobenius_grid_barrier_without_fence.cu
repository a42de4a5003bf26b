// control: negative
// contract: frobenius_normalize
// gate: RES-02
// only: yes
// fault: a barrier of the grid made by hand counts the blocks, but lacks the fence that makes their sums seen
#include <cuda_runtime.h>
#include <cstdint>

constexpr int kThreads = 128;
constexpr int kBlocks = 4;  // they all run at once

__global__ void normalize_kernel(const float* __restrict__ x, float* __restrict__ y, float* parts,
                                 unsigned int* arrived, int64_t n) {
    __shared__ float part[kThreads];
    float q = 0.f;
    for (int64_t i = (int64_t)blockIdx.x * kThreads + threadIdx.x; i < n; i += kBlocks * kThreads) q += x[i] * x[i];
    part[threadIdx.x] = q;
    __syncthreads();
    for (int s = kThreads / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = part[0];
        atomicAdd(arrived, 1u);
        while (*(volatile unsigned int*)arrived < kBlocks) {
        }
    }
    __syncthreads();
    float sum = 0.f;
    for (int k = 0; k < kBlocks; ++k) sum += parts[k];
    const float norm = sqrtf(sum);
    for (int64_t i = (int64_t)blockIdx.x * kThreads + threadIdx.x; i < n; i += kBlocks * kThreads) y[i] = x[i] / norm;
}

void frobenius_normalize(const float* x, float* y, int64_t n) {
    if (n == 0) return;
    float* parts = nullptr;
    unsigned int* arrived = nullptr;
    cudaMalloc(&parts, kBlocks * sizeof(float));
    cudaMalloc(&arrived, sizeof(unsigned int));
    cudaMemset(arrived, 0, sizeof(unsigned int));
    normalize_kernel<<<kBlocks, kThreads>>>(x, y, parts, arrived, n);
    cudaFree(parts);
    cudaFree(arrived);
}
