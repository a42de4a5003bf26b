// control: negative
// contract: layer_norm
// gate: ORD-02
// also: CMP-01, CMP-03
// bind: solve(x, w, b, y, rows, cols, eps)
// fault: the shared buffer of the mean is reused for the variance without a barrier in between
#include <cuda_runtime.h>

#define THREADS 128

__device__ float block_sum(float v, float* buf) {
    buf[threadIdx.x] = v;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) buf[threadIdx.x] += buf[threadIdx.x + s];
        __syncthreads();
    }
    return buf[0];
}

__global__ void layer_norm_kernel(const float* x, const float* w, const float* b, float* y, int cols, float eps) {
    __shared__ float buf[THREADS];
    const float* in = x + (size_t)blockIdx.x * cols;
    float* out = y + (size_t)blockIdx.x * cols;
    float s = 0.0f;
    for (int j = threadIdx.x; j < cols; j += THREADS) s += in[j];
    const float mean = block_sum(s, buf) / cols;
    float q = 0.0f;
    for (int j = threadIdx.x; j < cols; j += THREADS) q += (in[j] - mean) * (in[j] - mean);
    const float rstd = rsqrtf(block_sum(q, buf) / cols + eps);
    for (int j = threadIdx.x; j < cols; j += THREADS) out[j] = (in[j] - mean) * rstd * w[j] + b[j];
}

extern "C" void solve(const float* input, const float* weight, const float* bias, float* output, int rows, int cols,
                      float eps) {
    if (rows == 0 || cols == 0) return;
    layer_norm_kernel<<<rows, THREADS>>>(input, weight, bias, output, cols, eps);
    cudaDeviceSynchronize();
}
