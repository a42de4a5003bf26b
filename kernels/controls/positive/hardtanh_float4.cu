// control: positive
// contract: hardtanh
// bind: hardtanh(x, y, n, low, high)
#include <cuda_runtime.h>
#include <cstdint>

__device__ __forceinline__ float hold(float v, float low, float high) { return v < low ? low : (v > high ? high : v); }

__global__ void hardtanh_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t n, float low, float high) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t packs = n / 4;
    if (i < packs) {
        float4 v = reinterpret_cast<const float4*>(x)[i];
        v.x = hold(v.x, low, high);
        v.y = hold(v.y, low, high);
        v.z = hold(v.z, low, high);
        v.w = hold(v.w, low, high);
        reinterpret_cast<float4*>(y)[i] = v;
    } else if (4 * packs + (i - packs) < n) {
        const int64_t t = 4 * packs + (i - packs);
        y[t] = hold(x[t], low, high);
    }
}

void hardtanh(const float* x, float* y, int64_t n, float low, float high) {
    const int64_t threads = n / 4 + n % 4;
    if (n > 0) hardtanh_kernel<<<(unsigned)((threads + 255) / 256), 256>>>(x, y, n, low, high);
}
