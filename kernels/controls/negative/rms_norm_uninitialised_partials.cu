// control: negative
// contract: rms_norm
// gate: RES-02
// also: ORD-02, CMP-01, CMP-02, CMP-03, ORD-03, PRC-02
// bind: rms_norm_forward(y, x, w, rows, cols, eps)
// fault: threads beyond the row leave no partial sum, but the tree adds what shared memory held there
#include <cuda_runtime.h>

#define THREADS 128

__global__ void rms_norm_kernel(float* __restrict__ out, const float* __restrict__ in,
                                const float* __restrict__ weight, int hidden, float eps) {
    __shared__ float s[THREADS];
    const float* x = in + (size_t)blockIdx.x * hidden;
    float* y = out + (size_t)blockIdx.x * hidden;
    if (threadIdx.x < hidden) {
        float q = 0.0f;
        for (int j = threadIdx.x; j < hidden; j += THREADS) q += x[j] * x[j];
        s[threadIdx.x] = q;
    }
    __syncthreads();
    for (int k = THREADS / 2; k > 0; k >>= 1) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    const float scale = rsqrtf(s[0] / hidden + eps);
    for (int j = threadIdx.x; j < hidden; j += THREADS) y[j] = x[j] * scale * weight[j];
}

void rms_norm_forward(float* out, const float* in, const float* weight, int tokens, int hidden, float eps) {
    if (tokens == 0) return;
    rms_norm_kernel<<<tokens, THREADS>>>(out, in, weight, hidden, eps);
}
