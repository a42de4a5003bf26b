// control: negative
// contract: relu
// gate: CMP-03
// also: RES-01
// bind: solve(x, y, n)
// fault: assumes n % 4 == 0: the last one to three elements are not written
#include <cuda_runtime.h>
#include <cstdint>

__device__ float relu(float v) { return v < 0.0f ? 0.0f : v; }

__global__ void relu_float4(const float4* __restrict__ in, float4* __restrict__ out, int64_t n4) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) {
        float4 v = in[i];
        out[i] = make_float4(relu(v.x), relu(v.y), relu(v.z), relu(v.w));
    }
}

extern "C" void solve(const float* input, float* output, int64_t N) {
    int64_t n4 = N / 4;
    if (n4 == 0) return;
    relu_float4<<<(unsigned)((n4 + 255) / 256), 256>>>((const float4*)input, (float4*)output, n4);
    cudaDeviceSynchronize();
}
