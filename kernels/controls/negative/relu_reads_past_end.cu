// control: negative
// contract: relu
// gate: RES-01
// also: RES-02
// bind: solve(x, y, n)
// fault: the last float4 load reads up to three elements past the end; only the store is masked
#include <cuda_runtime.h>
#include <cstdint>

__global__ void relu_kernel(const float4* in, float* out, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i >= n) return;
    const float4 v = in[i];
    const float e[4] = {v.x, v.y, v.z, v.w};
    for (int k = 0; k < 4; ++k)
        if (4 * i + k < n) out[4 * i + k] = e[k] < 0.0f ? 0.0f : e[k];
}

extern "C" void solve(const float* input, float* output, int64_t N) {
    if (N == 0) return;
    const int64_t groups = (N + 3) / 4;
    relu_kernel<<<(unsigned)((groups + 127) / 128), 128>>>((const float4*)input, output, N);
    cudaDeviceSynchronize();
}
