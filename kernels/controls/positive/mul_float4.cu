// control: positive
// contract: mul
#include <cuda_runtime.h>
#include <cstdint>

__global__ void mul_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ y,
                           int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t packs = n / 4;
    if (i < packs) {
        const float4 u = reinterpret_cast<const float4*>(a)[i];
        const float4 v = reinterpret_cast<const float4*>(b)[i];
        reinterpret_cast<float4*>(y)[i] = make_float4(u.x * v.x, u.y * v.y, u.z * v.z, u.w * v.w);
    } else {
        const int64_t t = 3 * packs + i;
        if (t < n) y[t] = a[t] * b[t];
    }
}

void mul(const float* a, const float* b, float* y, int64_t n) {
    const int64_t threads = n / 4 + n % 4;
    if (n > 0) mul_kernel<<<(unsigned)((threads + 255) / 256), 256>>>(a, b, y, n);
}
