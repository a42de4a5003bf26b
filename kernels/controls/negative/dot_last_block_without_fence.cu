// control: negative
// contract: dot
// gate: RES-02
// only: yes
// fault: the block that comes last adds up the parts of the others, but no __threadfence makes them seen
#include <cuda_runtime.h>
#include <cstdint>

constexpr int kThreads = 64;
constexpr int kBlocks = 8;

__device__ unsigned int arrived;

__global__ void dot_kernel(const float* a, const float* b, float* parts, float* y, int64_t n) {
    __shared__ float part[kThreads];
    __shared__ bool last;
    float acc = 0.f;
    for (int64_t i = (int64_t)blockIdx.x * kThreads + threadIdx.x; i < n; i += kBlocks * kThreads)
        acc = fmaf(a[i], b[i], acc);
    part[threadIdx.x] = acc;
    __syncthreads();
    for (int s = kThreads / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = part[0];
        last = atomicInc(&arrived, kBlocks - 1) == kBlocks - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float sum = 0.f;
        for (int k = 0; k < kBlocks; ++k) sum += parts[k];
        *y = sum;
    }
}

void dot(const float* a, const float* b, float* y, int64_t n) {
    float* parts = nullptr;
    cudaMalloc(&parts, kBlocks * sizeof(float));
    dot_kernel<<<kBlocks, kThreads>>>(a, b, parts, y, n);
    cudaFree(parts);
}
