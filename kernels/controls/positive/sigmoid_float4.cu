// control: positive
// contract: sigmoid
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <stddef.h>

__device__ inline float sigm(float v) { return 1.f / (1.f + expf(-v)); }

__global__ void sigmoid4(const float* __restrict__ x, float* __restrict__ y, size_t n) {
    size_t n4 = n >> 2;
    size_t step = (size_t)gridDim.x * blockDim.x;
    size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const float4* x4 = (const float4*)x;
    float4* y4 = (float4*)y;
    for (size_t i = t; i < n4; i += step) {
        float4 v = x4[i];
        y4[i] = make_float4(sigm(v.x), sigm(v.y), sigm(v.z), sigm(v.w));
    }
    for (size_t i = 4 * n4 + t; i < n; i += step) y[i] = sigm(x[i]);
}

__global__ void sigmoid_h(const half* __restrict__ x, half* __restrict__ y, size_t n) {
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        y[i] = __float2half_rn(sigm(__half2float(x[i])));
}

static int grid_for(size_t items) {
    size_t g = (items + 255) / 256;
    if (g > 8192) g = 8192;
    return (int)g;
}

void sigmoid(const float* x, float* y, size_t n) {
    if (!n) return;
    sigmoid4<<<grid_for((n + 3) / 4), 256>>>(x, y, n);
}

void sigmoid(const half* x, half* y, size_t n) {
    if (!n) return;
    sigmoid_h<<<grid_for(n), 256>>>(x, y, n);
}
