// contract: max_pool1d
#include <cuda_runtime.h>
#include <cstdint>

__global__ void max_pool1d_kernel(const float* input, float* output, int64_t planes, int64_t L, int64_t OL, int64_t K,
                                  int64_t S, int64_t P) {
    int64_t tid = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
    if (tid >= planes * OL) return;
    const float* row = input + tid / OL * L;
    int64_t start = tid % OL * S - P;
    float best = -INFINITY;
    for (int64_t k = 0; k < K; ++k) {
        int64_t pos = start + k;
        if (pos < 0 || pos >= L) continue;
        float v = row[pos];
        best = (v > best || v != v) ? v : best;
    }
    output[tid] = best;
}

extern "C" void max_pool1d(const float* x, float* y, int64_t n, int64_t c, int64_t l, int64_t kernel, int64_t stride, int64_t padding) {
    int64_t out_len = (l + 2 * padding - kernel) / stride + 1;
    int64_t total = n * c * out_len;
    if (total > 0) max_pool1d_kernel<<<(total + 255) / 256, 256>>>(x, y, n * c, l, out_len, kernel, stride, padding);
}
