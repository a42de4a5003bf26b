// control: positive
// contract: sdpa
// where: b * h <= 4, lq <= 33, lk <= 33, d <= 33
// bind: sdpa(q, k, v, o, b*h, lq, lk, d, causal)
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>

// A block a query: its scores stand in scratch memory, then their maximum, exponentials and weighted values.
__global__ void sdpa_kernel(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
                            float* __restrict__ o, float* __restrict__ scratch, int64_t lq, int64_t lk, int64_t d,
                            int causal) {
    __shared__ float part[32];
    const int64_t head = blockIdx.x / lq, a = blockIdx.x % lq;
    const float* query = q + (int64_t)blockIdx.x * d;
    const float* keys = k + head * lk * d;
    const float* values = v + head * lk * d;
    float* s = scratch + (int64_t)blockIdx.x * lk;
    const int64_t seen = causal && a + 1 < lk ? a + 1 : lk;
    const float scale = 1.f / sqrtf((float)d);
    float m = -INFINITY;
    for (int64_t c = threadIdx.x; c < seen; c += 32) {
        float dot = 0.f;
        for (int64_t e = 0; e < d; ++e) dot = fmaf(query[e], keys[c * d + e], dot);
        s[c] = dot * scale;
        m = fmaxf(m, s[c]);  // a NaN score reaches the sum below
    }
    for (int w = 16; w > 0; w >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, w));
    float sum = 0.f;
    for (int64_t c = threadIdx.x; c < seen; c += 32) {
        s[c] = expf(s[c] - m);
        sum += s[c];
    }
    part[threadIdx.x] = sum;
    __syncthreads();
    sum = 0.f;
    for (int t = 0; t < 32; ++t) sum += part[t];
    for (int64_t e = threadIdx.x; e < d; e += 32) {
        float acc = 0.f;
        for (int64_t c = 0; c < seen; ++c) acc = fmaf(s[c] / sum, values[c * d + e], acc);
        o[(int64_t)blockIdx.x * d + e] = acc;
    }
}

void sdpa(const float* q, const float* k, const float* v, float* o, int64_t heads, int64_t lq, int64_t lk, int64_t d,
          bool causal) {
    if (heads * lq == 0) return;
    float* scratch = nullptr;
    cudaMalloc(&scratch, heads * lq * lk * sizeof(float));
    sdpa_kernel<<<(unsigned)(heads * lq), 32>>>(q, k, v, o, scratch, lq, lk, d, causal);
    cudaFree(scratch);
}
