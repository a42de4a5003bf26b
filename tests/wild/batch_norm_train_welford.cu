// contract: batch_norm_train
#include <cuda_runtime.h>
#include <cstdint>

struct Welford {
    float mean = 0.f, m2 = 0.f, count = 0.f;

    __device__ void push(float v) {
        count += 1.f;
        const float d = v - mean;
        mean += d / count;
        m2 += d * (v - mean);
    }
    __device__ void merge(float other_mean, float other_m2, float other_count) {
        if (other_count == 0.f) return;
        const float n = count + other_count;
        const float d = other_mean - mean;
        mean += d * (other_count / n);
        m2 += other_m2 + d * d * (count * other_count / n);
        count = n;
    }
};

__device__ Welford warp_merge(Welford w) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) {
        const float mean = __shfl_down_sync(0xffffffffu, w.mean, o);
        const float m2 = __shfl_down_sync(0xffffffffu, w.m2, o);
        const float count = __shfl_down_sync(0xffffffffu, w.count, o);
        w.merge(mean, m2, count);
    }
    return w;
}

template <int kWarps>
__global__ void bn_train_kernel(const float* x, const float* rm, const float* rv, const float* w, const float* b,
                                float* y, float* new_rm, float* new_rv, int64_t n, int64_t ch, int64_t l, float eps,
                                float momentum) {
    __shared__ Welford parts[kWarps];
    const int64_t c = blockIdx.x;
    Welford acc;
    for (int64_t i = threadIdx.x; i < n * l; i += blockDim.x) acc.push(x[(i / l * ch + c) * l + i % l]);
    acc = warp_merge(acc);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = acc;
    __syncthreads();
    Welford all = parts[0];
    for (int k = 1; k < kWarps; ++k) all.merge(parts[k].mean, parts[k].m2, parts[k].count);

    const float var = all.m2 / (n * l);
    const float scale = rsqrtf(var + eps) * w[c];
    for (int64_t i = threadIdx.x; i < n * l; i += blockDim.x) {
        const int64_t at = (i / l * ch + c) * l + i % l;
        y[at] = (x[at] - all.mean) * scale + b[c];
    }
    if (threadIdx.x == 0) {
        new_rm[c] = (1.f - momentum) * rm[c] + momentum * all.mean;
        new_rv[c] = (1.f - momentum) * rv[c] + momentum * (all.m2 / (n * l - 1));
    }
}

void batch_norm_train(const float* x, const float* rm, const float* rv, const float* w, const float* b, float* y,
                      float* new_rm, float* new_rv, int64_t n, int64_t ch, int64_t l, float eps, float momentum,
                      cudaStream_t stream) {
    if (ch > 0) bn_train_kernel<4><<<ch, 128, 0, stream>>>(x, rm, rv, w, b, y, new_rm, new_rv, n, ch, l, eps, momentum);
}
