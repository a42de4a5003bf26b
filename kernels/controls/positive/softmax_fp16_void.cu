// control: positive
// contract: softmax
// bind: launch(y, x, rows, cols)
// dtype: f16
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>
#include <cmath>

template <int kThreads>
__device__ float block_max(float v, float* scratch) {
    for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
    __syncthreads();
    if ((threadIdx.x & 31) == 0) scratch[threadIdx.x >> 5] = v;
    __syncthreads();
    v = scratch[0];
    for (int w = 1; w < kThreads / 32; ++w) v = fmaxf(v, scratch[w]);
    return v;
}

template <int kThreads>
__device__ float block_sum(float v, float* scratch) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    __syncthreads();
    if ((threadIdx.x & 31) == 0) scratch[threadIdx.x >> 5] = v;
    __syncthreads();
    v = scratch[0];
    for (int w = 1; w < kThreads / 32; ++w) v += scratch[w];
    return v;
}

// half in, half out, all arithmetic in float. half2 where the row starts on a four-byte boundary.
template <int kThreads>
__global__ void __launch_bounds__(kThreads) softmax_half(const __half* __restrict__ in, __half* __restrict__ out,
                                                        int64_t dim) {
    __shared__ float scratch[kThreads / 32];
    const __half* x = in + (int64_t)blockIdx.x * dim;
    __half* y = out + (int64_t)blockIdx.x * dim;
    const bool paired = dim % 2 == 0;

    float m = -INFINITY;
    if (paired) {
        const __half2* x2 = reinterpret_cast<const __half2*>(x);
        for (int64_t j = threadIdx.x; j < dim / 2; j += kThreads) {
            const float2 v = __half22float2(x2[j]);
            m = fmaxf(m, fmaxf(v.x, v.y));
        }
    } else {
        for (int64_t j = threadIdx.x; j < dim; j += kThreads) m = fmaxf(m, __half2float(x[j]));
    }
    m = block_max<kThreads>(m, scratch);

    float s = 0.f;
    for (int64_t j = threadIdx.x; j < dim; j += kThreads) s += expf(__half2float(x[j]) - m);
    const float inv = 1.f / block_sum<kThreads>(s, scratch);

    if (paired) {
        const __half2* x2 = reinterpret_cast<const __half2*>(x);
        __half2* y2 = reinterpret_cast<__half2*>(y);
        for (int64_t j = threadIdx.x; j < dim / 2; j += kThreads) {
            const float2 v = __half22float2(x2[j]);
            y2[j] = __floats2half2_rn(expf(v.x - m) * inv, expf(v.y - m) * inv);
        }
    } else {
        for (int64_t j = threadIdx.x; j < dim; j += kThreads) y[j] = __float2half(expf(__half2float(x[j]) - m) * inv);
    }
}

void launch(void* out, void* in, int64_t batch, int64_t dim) {
    if (batch == 0 || dim == 0) return;
    softmax_half<128><<<(unsigned)batch, 128>>>(static_cast<const __half*>(in), static_cast<__half*>(out), dim);
}
