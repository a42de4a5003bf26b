// contract: softmax
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
#include <float.h>

namespace cg = cooperative_groups;

// A warp a row; the row is read twice.
__global__ void softmax_warp_rows(float* out, const float* inp, size_t N, size_t C) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    size_t row = (size_t)blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
    if (row >= N) return;
    const float* x = inp + row * C;
    float* y = out + row * C;

    float maxval = -FLT_MAX;
    for (size_t c = warp.thread_rank(); c < C; c += warp.size()) maxval = fmaxf(maxval, x[c]);
    maxval = cg::reduce(warp, maxval, cg::greater<float>{});

    float sum = 0.0f;
    for (size_t c = warp.thread_rank(); c < C; c += warp.size()) sum += expf(x[c] - maxval);
    sum = cg::reduce(warp, sum, cg::plus<float>{});

    for (size_t c = warp.thread_rank(); c < C; c += warp.size()) y[c] = expf(x[c] - maxval) / sum;
}

void softmax_forward(float* out, const float* inp, size_t N, size_t C) {
    const size_t block_size = 128;
    const size_t grid_size = (N * 32 + block_size - 1) / block_size;
    if (grid_size == 0) return;
    softmax_warp_rows<<<(unsigned)grid_size, (unsigned)block_size>>>(out, inp, N, C);
}
