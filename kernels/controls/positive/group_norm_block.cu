// control: positive
// contract: group_norm
// bind: group_norm(x, w, b, y, n, ch, l, groups, eps)
#include <cuda_runtime.h>
#include <cstdint>

constexpr int kThreads = 64;

__device__ float block_sum(float v) {
    __shared__ float part[kThreads];
    part[threadIdx.x] = v;
    __syncthreads();
    for (int s = kThreads / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    const float total = part[0];
    __syncthreads();
    return total;
}

// A block a group of a sample: its channels stand next to each other.
__global__ void group_norm_kernel(const float* __restrict__ x, const float* __restrict__ w,
                                  const float* __restrict__ b, float* __restrict__ y, int64_t ch, int64_t l,
                                  int64_t groups, float eps) {
    const int64_t each = ch / groups;
    const int64_t size = each * l;
    const int64_t first_channel = blockIdx.x % groups * each;
    const float* in = x + (int64_t)blockIdx.x * size;
    float* out = y + (int64_t)blockIdx.x * size;
    float sum = 0.f;
    for (int64_t e = threadIdx.x; e < size; e += kThreads) sum += in[e];
    const float mean = block_sum(sum) / (float)size;
    float squares = 0.f;
    for (int64_t e = threadIdx.x; e < size; e += kThreads) squares += (in[e] - mean) * (in[e] - mean);
    const float scale = rsqrtf(block_sum(squares) / (float)size + eps);
    for (int64_t e = threadIdx.x; e < size; e += kThreads) {
        const int64_t c = first_channel + e / l;
        out[e] = (in[e] - mean) * scale * w[c] + b[c];
    }
}

void group_norm(const float* x, const float* w, const float* b, float* y, int64_t n, int64_t ch, int64_t l,
                int64_t groups, float eps) {
    if (n > 0) group_norm_kernel<<<(unsigned)(n * groups), kThreads>>>(x, w, b, y, ch, l, groups, eps);
}
