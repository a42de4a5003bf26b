// control: negative
// contract: rms_norm
// gate: RES-02
// also: CMP-01, CMP-03
// bind: rms_norm(y, x, w, rows, cols, eps)
// fault: the last step shuffles with a full mask in a branch that four lanes take while the others go on to the barrier
#include <cuda_runtime.h>

__global__ void rms_norm_kernel(float* __restrict__ out, const float* __restrict__ in, const float* __restrict__ w,
                                int hidden, float eps) {
    __shared__ float warp_sum[4];
    __shared__ float scale;
    const float* x = in + (size_t)blockIdx.x * hidden;
    float* y = out + (size_t)blockIdx.x * hidden;
    const int warps = blockDim.x / 32;
    float ss = 0.0f;
    for (int i = threadIdx.x; i < hidden; i += blockDim.x) ss += x[i] * x[i];
    for (int o = 16; o > 0; o >>= 1) ss += __shfl_down_sync(0xffffffff, ss, o);
    if (threadIdx.x % 32 == 0) warp_sum[threadIdx.x / 32] = ss;
    __syncthreads();
    if (threadIdx.x < warps) {
        ss = warp_sum[threadIdx.x];
        for (int o = warps / 2; o > 0; o >>= 1) ss += __shfl_down_sync(0xffffffff, ss, o);
        if (threadIdx.x == 0) scale = rsqrtf(ss / hidden + eps);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < hidden; i += blockDim.x) y[i] = x[i] * scale * w[i];
}

void rms_norm(float* out, const float* in, const float* weight, int tokens, int hidden, float eps) {
    if (tokens > 0 && hidden > 0) rms_norm_kernel<<<tokens, 128>>>(out, in, weight, hidden, eps);
}
