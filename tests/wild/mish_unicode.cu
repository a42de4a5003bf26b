// contract: mish
// 激活函数: mish(x) = x · tanh(ln(1 + eˣ)) — реализация без переполнения, größtenteils naïve.
#include <cuda_runtime.h>
#include <cstdint>

__device__ float stable_log1pexp(float x) {
    // ln(1 + eˣ) = max(x, 0) + ln(1 + e^−|x|)，不会溢出
    return (x > 0.f ? x : 0.f) + log1pf(expf(-fabsf(x)));
}

__global__ void mish_kernel(const float* __restrict__ 输入, float* __restrict__ ausgabe, std::int64_t n) {
    const std::int64_t i = (std::int64_t)blockIdx.x * blockDim.x + threadIdx.x;  // 每个线程一个元素
    if (i < n) {
        const float v = 输入[i];
        ausgabe[i] = v * tanhf(stable_log1pexp(v));  // NaN bleibt NaN
    }
}

// ↓ Einstiegspunkt
void mish_forward(const float* x, float* y, std::int64_t n) {
    if (n > 0) mish_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
