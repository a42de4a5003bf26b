// control: negative
// contract: layer_norm
// gate: CMP-01
// also: CMP-03
// bind: layer_norm(x, w, b, y, rows, cols, eps)
// fault: eps is added to the standard deviation, not to the variance
#include <cuda_runtime.h>

__global__ void layer_norm_kernel(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols,
                                  float eps) {
    long long row = (long long)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const float* xr = x + row * cols;
    float s = 0.0f;
    for (int j = threadIdx.x; j < cols; j += 32) s += xr[j];
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffff, s, o);
    float mean = s / cols;
    float q = 0.0f;
    for (int j = threadIdx.x; j < cols; j += 32) q += (xr[j] - mean) * (xr[j] - mean);
    for (int o = 16; o > 0; o >>= 1) q += __shfl_xor_sync(0xffffffff, q, o);
    float std = sqrtf(q / cols) + eps;
    for (int j = threadIdx.x; j < cols; j += 32) y[row * cols + j] = (xr[j] - mean) / std * gamma[j] + beta[j];
}

void layer_norm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
    if (rows == 0 || cols == 0) return;
    layer_norm_kernel<<<(rows + 3) / 4, dim3(32, 4)>>>(x, gamma, beta, y, rows, cols, eps);
}
