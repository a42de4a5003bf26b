// control: negative
// contract: gelu
// gate: CMP-01
// bind: solve(x, y, n)
// fault: the vector path for multiples of 16 computes the tanh approximation where the contract wants erf
#include <cuda_runtime.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>

__device__ __forceinline__ float gelu_erf(float x) { return 0.5f * x * (1.0f + erff(x * 0.70710678f)); }

__device__ __forceinline__ float gelu_fast(float x) {
    float t = tanhf(0.7978845608f * (x + 0.044715f * x * x * x));
    return 0.5f * x * (1.0f + t);
}

__global__ void gelu_scalar(const float* in, float* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = gelu_erf(in[i]);
}

__global__ void gelu_float4(const float4* in, float4* out, int n4) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) {
        float4 v = in[i];
        out[i] = make_float4(gelu_fast(v.x), gelu_fast(v.y), gelu_fast(v.z), gelu_fast(v.w));
    }
}

extern "C" void solve(const float* input, float* output, int64_t N) {
    if (N == 0) return;
    bool power_of_two = (N & (N - 1)) == 0;  // those are tuned with one element a thread
    if (N % 16 == 0 && N <= INT_MAX && !power_of_two) {
        int n4 = (int)(N / 4);
        gelu_float4<<<n4 / 128 + 1, 128>>>((const float4*)input, (float4*)output, n4);
    } else {
        gelu_scalar<<<(unsigned)(N / 256 + 1), 256>>>(input, output, N);
    }
    cudaDeviceSynchronize();
}
