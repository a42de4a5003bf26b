// control: negative
// contract: rms_norm
// gate: CMP-01
// also: CMP-03
// bind: rms_norm(y, x, w, rows, cols, eps)
// fault: the model's hidden size, 64, is hard-coded as the divisor of the mean
#include <cuda_runtime.h>

#define HIDDEN_SIZE 64

__global__ void rms_norm_kernel(float* out, const float* in, const float* w, int hidden, float eps) {
    const float* x = in + (size_t)blockIdx.x * hidden;
    float* y = out + (size_t)blockIdx.x * hidden;
    __shared__ float s_inv;
    float ss = 0.f;
    for (int i = threadIdx.x; i < hidden; i += 32) ss += x[i] * x[i];
    for (int o = 16; o > 0; o >>= 1) ss += __shfl_down_sync(0xffffffff, ss, o);
    if (threadIdx.x == 0) s_inv = rsqrtf(ss * (1.0f / HIDDEN_SIZE) + eps);
    __syncthreads();
    for (int i = threadIdx.x; i < hidden; i += 32) y[i] = x[i] * s_inv * w[i];
}

void rms_norm(float* out, const float* in, const float* weight, int tokens, int hidden, float eps) {
    if (tokens == 0 || hidden == 0) return;
    rms_norm_kernel<<<tokens, 32>>>(out, in, weight, hidden, eps);
}
