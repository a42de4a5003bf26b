// control: negative
// contract: huber_loss
// gate: CMP-01
// also: CMP-03, ORD-01
// bind: huber_loss(x, t, loss, n, delta)
// fault: the linear part lacks the offset that makes it meet the square
#include <cuda_runtime.h>
#include <cstdint>

__global__ void huber_kernel(const float* x, const float* t, float* loss, int64_t n, float delta) {
    float sum = 0.f;
    for (int64_t i = threadIdx.x; i < n; i += 32) {
        const float d = fabsf(x[i] - t[i]);
        sum += d <= delta ? 0.5f * d * d : delta * d;
    }
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (threadIdx.x == 0) *loss = sum / (float)n;
}

void huber_loss(const float* x, const float* t, float* loss, int64_t n, float delta) {
    huber_kernel<<<1, 32>>>(x, t, loss, n, delta);
}
