// contract: layer_norm
/*
Layer normalisation, forward. A warp a row, with cooperative groups; the row is read three times.
*/
#include <assert.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
#include <stdio.h>

namespace cg = cooperative_groups;

__global__ void layernorm_forward_kernel(float* __restrict__ out, const float* __restrict__ inp,
                                         const float* __restrict__ weight, const float* __restrict__ bias, long N,
                                         long C, float eps) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    long idx = (long)blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
    if (idx >= N) return;
    assert(blockDim.x % 32 == 0);
    const float* x = inp + idx * C;

    float sum = 0.0f;
    for (long i = warp.thread_rank(); i < C; i += warp.size()) sum += x[i];
    sum = cg::reduce(warp, sum, cg::plus<float>());
    float m = sum / C;

    sum = 0.0f;
    for (long i = warp.thread_rank(); i < C; i += warp.size()) {
        float diff = x[i] - m;
        sum += diff * diff;
    }
    sum = cg::reduce(warp, sum, cg::plus<float>());
    float s = rsqrtf(sum / C + eps);

    float* o = out + idx * C;
    for (long c = warp.thread_rank(); c < C; c += warp.size()) {
        float n = s * (__ldcs(x + c) - m);
        __stcs(o + c, n * weight[c] + bias[c]);
    }
}

void layernorm_forward(float* out, const float* inp, const float* weight, const float* bias, long N, long C, float eps) {
    const int block_size = 256;
    const long grid_size = (N * 32 + block_size - 1) / block_size;
    if (grid_size == 0) return;
    layernorm_forward_kernel<<<grid_size, block_size>>>(out, inp, weight, bias, N, C, eps);
}
