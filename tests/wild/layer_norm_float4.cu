// contract: layer_norm --where "cols % 4 == 0, cols <= 4096"
#include <cuda_runtime.h>

#include <cstdint>

#define WARP_SIZE 32
#define FULL_MASK 0xffffffff
#define WARP_REDUCE_SUM(v)                                            \
    for (int off_ = WARP_SIZE / 2; off_ > 0; off_ >>= 1) {            \
        (v) += __shfl_xor_sync(FULL_MASK, (v), off_);                 \
    }

// Vectors of a row stay in registers between the passes: at most 4 of them a thread.
template <int THREADS, int VECS>
__global__ void __launch_bounds__(THREADS)
layer_norm_vec4(const float4* __restrict__ x, const float4* __restrict__ gamma, const float4* __restrict__ beta,
                float4* __restrict__ y, int nvec, float eps)
{
    __shared__ float s_part[THREADS / WARP_SIZE];
    __shared__ float s_mean, s_rstd;
    const int tid = threadIdx.x;
    const int lane = tid % WARP_SIZE, wid = tid / WARP_SIZE;
    x += (int64_t)blockIdx.x * nvec;
    y += (int64_t)blockIdx.x * nvec;

    float4 r[VECS];
    float sum = 0.f;
#pragma unroll
    for (int k = 0; k < VECS; ++k) {
        const int i = tid + k * THREADS;
        r[k] = i < nvec ? x[i] : make_float4(0.f, 0.f, 0.f, 0.f);
        sum += (r[k].x + r[k].y) + (r[k].z + r[k].w);
    }
    WARP_REDUCE_SUM(sum);
    if (lane == 0) s_part[wid] = sum;
    __syncthreads();
    if (wid == 0) {
        float v = lane < THREADS / WARP_SIZE ? s_part[lane] : 0.f;
        WARP_REDUCE_SUM(v);
        if (lane == 0) s_mean = v / (4 * nvec);
    }
    __syncthreads();

    const float mean = s_mean;
    float sq = 0.f;
#pragma unroll
    for (int k = 0; k < VECS; ++k) {
        if (tid + k * THREADS < nvec) {
            r[k].x -= mean; r[k].y -= mean; r[k].z -= mean; r[k].w -= mean;
            sq += r[k].x * r[k].x + r[k].y * r[k].y + r[k].z * r[k].z + r[k].w * r[k].w;
        }
    }
    WARP_REDUCE_SUM(sq);
    if (lane == 0) s_part[wid] = sq;
    __syncthreads();
    if (wid == 0) {
        float v = lane < THREADS / WARP_SIZE ? s_part[lane] : 0.f;
        WARP_REDUCE_SUM(v);
        if (lane == 0) s_rstd = rsqrtf(v / (4 * nvec) + eps);
    }
    __syncthreads();

    const float rstd = s_rstd;
#pragma unroll
    for (int k = 0; k < VECS; ++k) {
        const int i = tid + k * THREADS;
        if (i < nvec) {
            const float4 g = gamma[i], b = beta[i];
            float4 o;
            o.x = r[k].x * rstd * g.x + b.x;
            o.y = r[k].y * rstd * g.y + b.y;
            o.z = r[k].z * rstd * g.z + b.z;
            o.w = r[k].w * rstd * g.w + b.w;
            y[i] = o;
        }
    }
}

extern "C" void launch_layer_norm(const float* x, const float* gamma, const float* beta, float* y, int rows, int cols,
                                  float eps, cudaStream_t stream)
{
    if (rows == 0) return;
    layer_norm_vec4<256, 4><<<rows, 256, 0, stream>>>((const float4*)x, (const float4*)gamma, (const float4*)beta,
                                                       (float4*)y, cols / 4, eps);
}
