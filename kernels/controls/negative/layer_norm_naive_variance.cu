// control: negative
// contract: layer_norm
// gate: CMP-01
// also: CMP-03
// bind: solve(x, w, b, y, rows, cols, eps)
// fault: the variance is E[x^2] - E[x]^2, which cancels for data far from zero
#include <cuda_runtime.h>

__global__ void layer_norm_one_pass(const float* input, const float* gamma, const float* beta, float* output, int cols,
                                    float eps) {
    __shared__ float s_sum[128], s_sq[128];
    const float* x = input + (size_t)blockIdx.x * cols;
    float* y = output + (size_t)blockIdx.x * cols;
    float sum = 0.0f, sq = 0.0f;
    for (int j = threadIdx.x; j < cols; j += blockDim.x) {
        float v = x[j];
        sum += v;
        sq += v * v;
    }
    s_sum[threadIdx.x] = sum;
    s_sq[threadIdx.x] = sq;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) {
            s_sum[threadIdx.x] += s_sum[threadIdx.x + s];
            s_sq[threadIdx.x] += s_sq[threadIdx.x + s];
        }
        __syncthreads();
    }
    float mean = s_sum[0] / cols;
    float var = s_sq[0] / cols - mean * mean;
    float inv = rsqrtf(var + eps);
    for (int j = threadIdx.x; j < cols; j += blockDim.x) y[j] = (x[j] - mean) * inv * gamma[j] + beta[j];
}

extern "C" void solve(const float* input, const float* gamma, const float* beta, float* output, int rows, int cols,
                      float eps) {
    if (rows == 0 || cols == 0) return;
    layer_norm_one_pass<<<rows, 128>>>(input, gamma, beta, output, cols, eps);
    cudaDeviceSynchronize();
}
