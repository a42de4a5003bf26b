// control: positive
// contract: rms_norm
// bind: rms_norm_forward(y, x, w, rows, cols, eps, stream)
#include <cuda_runtime.h>
#include <stdint.h>

// Rows whose start is 16-byte aligned take float4 loads; the others go one float at a time.
template <bool kVector>
__global__ void rms_norm_kernel(float* __restrict__ out, const float* __restrict__ in, const float* __restrict__ weight,
                                int hidden, float eps) {
    __shared__ float warp_total[8];
    const float* x = in + (int64_t)blockIdx.x * hidden;
    float* y = out + (int64_t)blockIdx.x * hidden;
    float ss = 0.f;
    if (kVector) {
        const float4* x4 = reinterpret_cast<const float4*>(x);
        for (int i = threadIdx.x; i < hidden / 4; i += blockDim.x) {
            const float4 v = x4[i];
            ss += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
        }
    } else {
        for (int i = threadIdx.x; i < hidden; i += blockDim.x) ss += x[i] * x[i];
    }
    for (int o = 16; o > 0; o >>= 1) ss += __shfl_xor_sync(0xffffffffu, ss, o);
    if (threadIdx.x % 32 == 0) warp_total[threadIdx.x / 32] = ss;
    __syncthreads();
    ss = 0.f;
    for (int w = 0; w < (int)blockDim.x / 32; ++w) ss += warp_total[w];
    const float scale = rsqrtf(ss / hidden + eps);
    if (kVector) {
        const float4* x4 = reinterpret_cast<const float4*>(x);
        const float4* w4 = reinterpret_cast<const float4*>(weight);
        float4* y4 = reinterpret_cast<float4*>(y);
        for (int i = threadIdx.x; i < hidden / 4; i += blockDim.x) {
            const float4 v = x4[i], g = w4[i];
            y4[i] = make_float4(v.x * scale * g.x, v.y * scale * g.y, v.z * scale * g.z, v.w * scale * g.w);
        }
    } else {
        for (int i = threadIdx.x; i < hidden; i += blockDim.x) y[i] = x[i] * scale * weight[i];
    }
}

void rms_norm_forward(float* out, const float* in, const float* weight, int tokens, int hidden, float eps,
                      cudaStream_t stream) {
    if (tokens == 0 || hidden == 0) return;
    const int threads = hidden >= 1024 ? 256 : 64;
    if (hidden % 4 == 0) rms_norm_kernel<true><<<tokens, threads, 0, stream>>>(out, in, weight, hidden, eps);
    else rms_norm_kernel<false><<<tokens, threads, 0, stream>>>(out, in, weight, hidden, eps);
}
