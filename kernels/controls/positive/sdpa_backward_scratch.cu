// control: positive
// contract: sdpa_backward
// where: b <= 2, h <= 2, lq <= 20, lk <= 20, d <= 20
// bind: sdpa_backward(q, k, v, do, dq, dk, dv, b*h, lq, lk, d, causal)
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>

// A warp a query: its weights w and the gradients ds of its scores, into scratch, and dq.
__global__ void query_kernel(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
                             const float* __restrict__ dout, float* __restrict__ dq, float* w, float* ds, int64_t lq,
                             int64_t lk, int64_t d, int causal) {
    const int64_t row = blockIdx.x, head = row / lq, a = row % lq;
    const int64_t seen = causal && a + 1 < lk ? a + 1 : lk;
    const float scale = 1.f / sqrtf((float)d);
    const float* keys = k + head * lk * d;
    const float* values = v + head * lk * d;
    float* weights = w + row * lk;
    float* gradients = ds + row * lk;
    float m = -INFINITY, sum = 0.f, dot = 0.f;
    for (int64_t c = threadIdx.x; c < seen; c += 32) {
        float s = 0.f, g = 0.f;
        for (int64_t e = 0; e < d; ++e) {
            s = fmaf(q[row * d + e], keys[c * d + e], s);
            g = fmaf(dout[row * d + e], values[c * d + e], g);
        }
        weights[c] = s * scale;
        gradients[c] = g;
        m = fmaxf(m, s * scale);
    }
    for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
    for (int64_t c = threadIdx.x; c < seen; c += 32) {
        weights[c] = expf(weights[c] - m);
        sum += weights[c];
    }
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    for (int64_t c = threadIdx.x; c < seen; c += 32) {
        weights[c] /= sum;
        dot = fmaf(weights[c], gradients[c], dot);
    }
    for (int o = 16; o > 0; o >>= 1) dot += __shfl_xor_sync(0xffffffffu, dot, o);
    for (int64_t c = threadIdx.x; c < seen; c += 32) gradients[c] = weights[c] * (gradients[c] - dot) * scale;
    __syncthreads();
    for (int64_t e = threadIdx.x; e < d; e += 32) {
        float acc = 0.f;
        for (int64_t c = 0; c < seen; ++c) acc = fmaf(gradients[c], keys[c * d + e], acc);
        dq[row * d + e] = acc;
    }
}

// A thread an element of dk and dv: the queries that see its key.
__global__ void key_kernel(const float* __restrict__ q, const float* __restrict__ dout, const float* w,
                           const float* ds, float* __restrict__ dk, float* __restrict__ dv, int64_t total, int64_t lq,
                           int64_t lk, int64_t d, int causal) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    const int64_t e = i % d, c = i / d % lk, head = i / d / lk;
    float keys = 0.f, values = 0.f;
    for (int64_t a = causal ? c : 0; a < lq; ++a) {
        const int64_t row = head * lq + a;
        keys = fmaf(ds[row * lk + c], q[row * d + e], keys);
        values = fmaf(w[row * lk + c], dout[row * d + e], values);
    }
    dk[i] = keys;
    dv[i] = values;
}

void sdpa_backward(const float* q, const float* k, const float* v, const float* dout, float* dq, float* dk, float* dv,
                   int64_t heads, int64_t lq, int64_t lk, int64_t d, bool causal) {
    float* scratch = nullptr;
    const int64_t scores = heads * lq * lk;
    cudaMalloc(&scratch, (scores > 0 ? 2 * scores : 1) * sizeof(float));
    if (heads * lq > 0)
        query_kernel<<<(unsigned)(heads * lq), 32>>>(q, k, v, dout, dq, scratch, scratch + scores, lq, lk, d, causal);
    const int64_t total = heads * lk * d;
    if (total > 0)
        key_kernel<<<(unsigned)((total + 63) / 64), 64>>>(q, dout, scratch, scratch + scores, dk, dv, total, lq, lk, d,
                                                           causal);
    cudaFree(scratch);
}
