// control: positive
// contract: sdpa_grouped
// where: b * hk <= 4, lq <= 33, lk <= 33, d <= 33
// bind: sdpa_grouped(q, k, v, o, b*hk*group, group, lq, lk, d, causal)
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>

// A warp a query; its scores stand in scratch memory. Query head t reads the keys of
// head t / group. A whole row of -Inf, or an Inf, makes the maximum infinite, and the weights NaN, as they are.
__global__ void sdpa_kernel(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
                            float* __restrict__ o, float* __restrict__ scratch, int64_t group, int64_t lq, int64_t lk,
                            int64_t d, int causal) {
    const int64_t row = blockIdx.x, a = row % lq, kv = row / lq / group;
    const float* keys = k + kv * lk * d;
    const float* values = v + kv * lk * d;
    const int64_t seen = causal && a + 1 < lk ? a + 1 : lk;
    const float scale = 1.f / sqrtf((float)d);
    float* s = scratch + row * lk;
    float m = -INFINITY, sum = 0.f;
    for (int64_t c = threadIdx.x; c < seen; c += 32) {
        float dot = 0.f;
        for (int64_t e = 0; e < d; ++e) dot = fmaf(q[row * d + e], keys[c * d + e], dot);
        s[c] = dot * scale;
        m = fmaxf(m, s[c]);
    }
    for (int w = 16; w > 0; w >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, w));
    for (int64_t c = threadIdx.x; c < seen; c += 32) {
        s[c] = expf(s[c] - m);
        sum += s[c];
    }
    for (int w = 16; w > 0; w >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, w);
    __syncthreads();
    for (int64_t e = threadIdx.x; e < d; e += 32) {
        float acc = 0.f;
        for (int64_t c = 0; c < seen; ++c) acc = fmaf(s[c], values[c * d + e], acc);
        o[row * d + e] = acc / sum;
    }
}

void sdpa_grouped(const float* q, const float* k, const float* v, float* o, int64_t heads, int64_t group, int64_t lq,
                  int64_t lk, int64_t d, bool causal) {
    if (heads * lq == 0) return;
    float* scratch = nullptr;
    cudaMalloc(&scratch, heads * lq * lk * sizeof(float));
    sdpa_kernel<<<(unsigned)(heads * lq), 32>>>(q, k, v, o, scratch, group, lq, lk, d, causal);
    cudaFree(scratch);
}
