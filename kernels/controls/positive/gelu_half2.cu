// control: positive
// contract: gelu
// bind: gelu_forward(x, y, n)
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdint>

__device__ __forceinline__ float gelu_f(float x) {
    constexpr float kInvSqrt2 = 0.70710678118654752440f;
    return x * 0.5f * (1.0f + erff(x * kInvSqrt2));
}

__global__ void gelu_f32(const float* __restrict__ in, float* __restrict__ out, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = gelu_f(__ldg(in + i));
}

__global__ void gelu_f16(const __half* __restrict__ in, __half* __restrict__ out, int64_t n) {
    const int64_t i = 2 * ((int64_t)blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 < n) {
        const float2 v = __half22float2(*reinterpret_cast<const __half2*>(in + i));
        *reinterpret_cast<__half2*>(out + i) = __floats2half2_rn(gelu_f(v.x), gelu_f(v.y));
    } else if (i < n) {
        out[i] = __float2half(gelu_f(__half2float(in[i])));
    }
}

__global__ void gelu_bf16(const __nv_bfloat16* __restrict__ in, __nv_bfloat16* __restrict__ out, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __float2bfloat16(gelu_f(__bfloat162float(in[i])));
}

static unsigned blocks_for(int64_t threads) { return (unsigned)((threads + 127) / 128); }

void gelu_forward(const float* in, float* out, int64_t n) {
    if (n > 0) gelu_f32<<<blocks_for(n), 128>>>(in, out, n);
}
void gelu_forward(const __half* in, __half* out, int64_t n) {
    if (n > 0) gelu_f16<<<blocks_for((n + 1) / 2), 128>>>(in, out, n);
}
void gelu_forward(const __nv_bfloat16* in, __nv_bfloat16* out, int64_t n) {
    if (n > 0) gelu_bf16<<<blocks_for(n), 128>>>(in, out, n);
}
