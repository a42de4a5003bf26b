// control: negative
// contract: rms_norm
// gate: CMP-01
// also: CMP-03
// bind: solve(x, w, y, rows, cols)
// fault: eps is 1e-6, the contract's is 1e-5
#include <cuda_runtime.h>

__global__ void rms_norm_kernel(const float* x, const float* weight, float* y, int rows, int cols) {
    __shared__ float sums[128];
    const float eps = 1e-6f;
    size_t base = (size_t)blockIdx.x * cols;
    float acc = 0.0f;
    for (int i = threadIdx.x; i < cols; i += 128) acc += x[base + i] * x[base + i];
    sums[threadIdx.x] = acc;
    __syncthreads();
    for (int s = 64; s > 0; s >>= 1) {
        if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
        __syncthreads();
    }
    float inv = rsqrtf(sums[0] / cols + eps);
    for (int i = threadIdx.x; i < cols; i += 128) y[base + i] = x[base + i] * inv * weight[i];
}

extern "C" void solve(const float* input, const float* weight, float* output, int rows, int cols) {
    if (rows == 0 || cols == 0) return;
    rms_norm_kernel<<<rows, 128>>>(input, weight, output, rows, cols);
    cudaDeviceSynchronize();
}
