// control: positive
// contract: instance_norm
// bind: instance_norm(x, w, b, y, n, ch, l, eps)
#include <cuda_runtime.h>
#include <cstdint>

__device__ __forceinline__ float warp_sum(float v) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

// A warp a channel of a sample.
__global__ void instance_norm_kernel(const float* __restrict__ x, const float* __restrict__ w,
                                     const float* __restrict__ b, float* __restrict__ y, int64_t planes, int64_t ch,
                                     int64_t l, float eps) {
    const int64_t plane = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (plane >= planes) return;
    const float* in = x + plane * l;
    float* out = y + plane * l;
    float sum = 0.f;
    for (int64_t p = threadIdx.x; p < l; p += 32) sum += in[p];
    const float mean = warp_sum(sum) / (float)l;
    float squares = 0.f;
    for (int64_t p = threadIdx.x; p < l; p += 32) {
        const float d = in[p] - mean;
        squares += d * d;
    }
    const float scale = rsqrtf(warp_sum(squares) / (float)l + eps);
    const float weight = w[plane % ch], bias = b[plane % ch];
    for (int64_t p = threadIdx.x; p < l; p += 32) out[p] = (in[p] - mean) * scale * weight + bias;
}

void instance_norm(const float* x, const float* w, const float* b, float* y, int64_t n, int64_t ch, int64_t l,
                   float eps) {
    const int64_t planes = n * ch;
    if (planes > 0) instance_norm_kernel<<<(unsigned)((planes + 3) / 4), dim3(32, 4)>>>(x, w, b, y, planes, ch, l, eps);
}
