// control: positive
// contract: hinge_loss
#include <cuda_runtime.h>
#include <cstdint>

__global__ void hinge_kernel(const float* __restrict__ x, const float* __restrict__ t, float* loss, int64_t n) {
    float sum = 0.f;
    for (int64_t i = threadIdx.x; i < n; i += 32) {
        const float h = 1.f - x[i] * t[i];
        sum += h < 0.f ? 0.f : h;
    }
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (threadIdx.x == 0) *loss = sum / (float)n;
}

void hinge_loss(const float* x, const float* t, float* loss, int64_t n) { hinge_kernel<<<1, 32>>>(x, t, loss, n); }
