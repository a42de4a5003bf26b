// control: negative
// contract: rms_norm
// gate: RES-02
// only: yes
// bind: rms_norm_forward(y, x, w, rows, cols, eps)
// fault: warps wait for a flag in shared memory, not at a barrier, and no fence puts the scale before the flag
#include <cuda_runtime.h>

#define THREADS 128

__global__ void rms_norm_kernel(float* __restrict__ out, const float* __restrict__ in,
                                const float* __restrict__ weight, int hidden, float eps) {
    __shared__ float scale;
    __shared__ int ready;
    const float* x = in + (size_t)blockIdx.x * hidden;
    float* y = out + (size_t)blockIdx.x * hidden;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        float q = 0.0f;
        for (int j = threadIdx.x; j < hidden; j += 32) q += x[j] * x[j];
        for (int d = 16; d > 0; d >>= 1) q += __shfl_xor_sync(0xffffffffu, q, d);
        if (threadIdx.x == 0) {
            scale = rsqrtf(q / hidden + eps);
            atomicExch(&ready, 1);
        }
    }
    while (atomicAdd(&ready, 0) == 0) {
    }
    const float s = scale;
    for (int j = threadIdx.x; j < hidden; j += THREADS) y[j] = x[j] * s * weight[j];
}

void rms_norm_forward(float* out, const float* in, const float* weight, int tokens, int hidden, float eps) {
    if (tokens == 0) return;
    rms_norm_kernel<<<tokens, THREADS>>>(out, in, weight, hidden, eps);
}
