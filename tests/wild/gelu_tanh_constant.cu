// contract: gelu_tanh
// "Optimised" answer: coefficients in constant memory, 128-bit accesses, scalar tail.
#include <cuda_runtime.h>
#include <cstdint>

#define FLOAT4(p) (*reinterpret_cast<float4*>(p))
#define CONST_FLOAT4(p) (*reinterpret_cast<const float4*>(p))

__constant__ float c_coeff[2];

__device__ __forceinline__ float gelu_one(float x) {
    const float inner = c_coeff[0] * (x + c_coeff[1] * x * x * x);
    return 0.5f * x * (1.0f + tanhf(inner));
}

__global__ __launch_bounds__(256, 4) void gelu_tanh_vec4(const float* __restrict__ in, float* __restrict__ out,
                                                         int64_t n) {
    const int64_t n4 = n / 4;
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) {
        float4 v = CONST_FLOAT4(in + 4 * i);
        v.x = gelu_one(v.x);
        v.y = gelu_one(v.y);
        v.z = gelu_one(v.z);
        v.w = gelu_one(v.w);
        FLOAT4(out + 4 * i) = v;
    }
    const int64_t tail = 4 * n4 + i;
    if (i < 4 && tail < n) out[tail] = gelu_one(in[tail]);
}

void gelu_tanh(const float* input, float* output, int64_t numel, cudaStream_t stream) {
    static const float coeff[2] = {0.7978845608028654f, 0.044715f};
    if (numel == 0) return;
    cudaMemcpyToSymbolAsync(c_coeff, coeff, sizeof(coeff), 0, cudaMemcpyHostToDevice, stream);
    const int64_t work = numel / 4 + 4;
    gelu_tanh_vec4<<<(unsigned)((work + 255) / 256), 256, 0, stream>>>(input, output, numel);
}
