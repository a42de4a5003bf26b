// control: negative
// contract: layer_norm
// gate: RES-01
// also: CMP-01, CMP-03
// bind: layer_norm(x, w, b, y, rows, cols, eps)
// fault: the grid is capped at 8 blocks without a loop over the rest: rows past the eighth are never written
#include <cuda_runtime.h>

__global__ void layer_norm_kernel(const float* x, const float* w, const float* b, float* y, int cols, float eps) {
    const float* in = x + (size_t)blockIdx.x * cols;
    float* out = y + (size_t)blockIdx.x * cols;
    float s = 0.0f;
    for (int j = threadIdx.x; j < cols; j += 32) s += in[j];
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffff, s, o);
    const float mean = s / cols;
    float q = 0.0f;
    for (int j = threadIdx.x; j < cols; j += 32) q += (in[j] - mean) * (in[j] - mean);
    for (int o = 16; o > 0; o >>= 1) q += __shfl_xor_sync(0xffffffff, q, o);
    const float r = rsqrtf(q / cols + eps);
    for (int j = threadIdx.x; j < cols; j += 32) out[j] = (in[j] - mean) * r * w[j] + b[j];
}

void layer_norm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols, float eps) {
    if (rows == 0 || cols == 0) return;
    const int max_blocks = 8;
    layer_norm_kernel<<<rows < max_blocks ? rows : max_blocks, 32>>>(x, gamma, beta, y, cols, eps);
}
