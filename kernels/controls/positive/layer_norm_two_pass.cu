// control: positive
// contract: layer_norm
// bind: solve(x, w, b, y, rows, cols, eps)
#include <cuda_runtime.h>

constexpr int kBlock = 128;

__device__ float block_reduce_sum(float value) {
    __shared__ float partial[kBlock];
    partial[threadIdx.x] = value;
    __syncthreads();
    for (int s = kBlock / 2; s > 0; s /= 2) {
        if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
        __syncthreads();
    }
    const float total = partial[0];
    __syncthreads();  // the buffer is used again
    return total;
}

// Mean first, then the mean of squared deviations: no cancellation for data far from zero.
__global__ void layernorm_two_pass(const float* __restrict__ x, const float* __restrict__ weight,
                                   const float* __restrict__ bias, float* __restrict__ y, int cols, float eps) {
    const float* row = x + (size_t)blockIdx.x * cols;
    float* out = y + (size_t)blockIdx.x * cols;
    float s = 0.f;
    for (int j = threadIdx.x; j < cols; j += kBlock) s += row[j];
    const float mean = block_reduce_sum(s) / cols;
    float q = 0.f;
    for (int j = threadIdx.x; j < cols; j += kBlock) {
        const float d = row[j] - mean;
        q += d * d;
    }
    const float inv_std = rsqrtf(block_reduce_sum(q) / cols + eps);
    for (int j = threadIdx.x; j < cols; j += kBlock) out[j] = (row[j] - mean) * inv_std * weight[j] + bias[j];
}

extern "C" void solve(const float* input, const float* gamma, const float* beta, float* output, int rows, int cols,
                      float eps) {
    if (rows == 0 || cols == 0) return;
    layernorm_two_pass<<<rows, kBlock>>>(input, gamma, beta, output, cols, eps);
    cudaDeviceSynchronize();
}
