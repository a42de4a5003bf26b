// control: positive
// contract: frobenius_normalize
#include <cuda_runtime.h>
#include <cstdint>

constexpr int kThreads = 256;

__global__ void norm_kernel(const float* __restrict__ x, float* norm, int64_t n) {
    __shared__ float part[kThreads];
    float q = 0.f;
    for (int64_t i = threadIdx.x; i < n; i += kThreads) q += x[i] * x[i];
    part[threadIdx.x] = q;
    __syncthreads();
    for (int s = kThreads / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) *norm = sqrtf(part[0]);
}

__global__ void divide_kernel(const float* __restrict__ x, const float* norm, float* __restrict__ y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] / *norm;
}

void frobenius_normalize(const float* x, float* y, int64_t n) {
    if (n == 0) return;
    float* norm = nullptr;
    cudaMalloc(&norm, sizeof(float));
    norm_kernel<<<1, kThreads>>>(x, norm, n);
    divide_kernel<<<(unsigned)((n + 255) / 256), 256>>>(x, norm, y, n);
    cudaFree(norm);
}
