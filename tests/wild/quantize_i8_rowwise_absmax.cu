// contract: quantize_i8_rowwise
#include <cuda_runtime.h>
#include <cstdint>

__device__ __forceinline__ float nan_max(float a, float b) { return a > b || a != a ? a : b; }

__global__ void per_token_quant(const float* __restrict__ in, int8_t* __restrict__ out, float* __restrict__ scales, int64_t hidden) {
    __shared__ float red[4];
    const int64_t base = blockIdx.x * hidden;
    float amax = 0.f;
    for (int64_t i = threadIdx.x; i < hidden; i += blockDim.x) amax = nan_max(fabsf(in[base + i]), amax);
    for (int o = 16; o; o >>= 1) amax = nan_max(amax, __shfl_xor_sync(0xffffffffu, amax, o));
    if ((threadIdx.x & 31) == 0) red[threadIdx.x >> 5] = amax;
    __syncthreads();
    amax = nan_max(nan_max(red[0], red[1]), nan_max(red[2], red[3]));
    const float scale = amax / 127.f;
    if (threadIdx.x == 0) scales[blockIdx.x] = scale;
    for (int64_t i = threadIdx.x; i < hidden; i += blockDim.x) {
        int q = __float2int_rn(in[base + i] / scale);
        q = q > 127 ? 127 : q < -128 ? -128 : q;
        out[base + i] = static_cast<int8_t>(q);
    }
}

void quantize_per_token(const float* x, int8_t* q, float* scales, int64_t rows, int64_t cols, cudaStream_t stream) {
    if (rows > 0) per_token_quant<<<rows, 128, 0, stream>>>(x, q, scales, cols);
}
