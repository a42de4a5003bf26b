// contract: huber_loss
#include <cuda_runtime.h>
#include <cstdint>

namespace loss {
namespace detail {

inline constexpr int kThreads = 128;

__device__ inline float huber(float d, float delta) {
    const float a = fabsf(d);
    return a <= delta ? 0.5f * a * a : delta * (a - 0.5f * delta);
}

template <int kWarps>
__device__ inline float block_total(float v) {
    __shared__ float s[kWarps];
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    float total = 0.f;
    for (int w = 0; w < kWarps; ++w) total += s[w];
    return total;
}

__global__ void huber_kernel(const float* x, const float* t, float* out, int64_t n, float delta) {
    float acc = 0.f;
    for (int64_t i = threadIdx.x; i < n; i += kThreads) acc += huber(x[i] - t[i], delta);
    acc = block_total<kThreads / 32>(acc);
    if (threadIdx.x == 0) *out = acc / static_cast<float>(n);
}

}  // namespace detail

void huber_loss(const float* pred, const float* target, float* out, int64_t numel, float delta, cudaStream_t stream) {
    detail::huber_kernel<<<1, detail::kThreads, 0, stream>>>(pred, target, out, numel, delta);
}

}  // namespace loss
