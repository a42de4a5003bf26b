// contract: mean --where "rows == 1" --bind "mean_reduce(x, y, cols)"
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

// One cooperative launch instead of two kernels.
__global__ void mean_coop(const float* in, float* out, float* partials, long n) {
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    extern __shared__ float sm[];

    float acc = 0.0f;
    for (long i = grid.thread_rank(); i < n; i += grid.size()) acc += in[i];
    sm[block.thread_rank()] = acc;
    block.sync();
    for (int half = block.size() / 2; half > 0; half /= 2) {
        if (block.thread_rank() < half) sm[block.thread_rank()] += sm[block.thread_rank() + half];
        block.sync();
    }
    if (block.thread_rank() == 0) partials[blockIdx.x] = sm[0];
    grid.sync();
    if (grid.thread_rank() == 0) {
        float total = 0.0f;
        for (unsigned b = 0; b < gridDim.x; ++b) total += partials[b];
        *out = total / n;
    }
}

bool mean_reduce(const float* in, float* out, long n) {
    const int threads = 64;
    int blocks = 8;
    float* partials;
    if (cudaMalloc(&partials, blocks * sizeof(float)) != cudaSuccess) return false;
    void* args[] = {(void*)&in, (void*)&out, (void*)&partials, (void*)&n};
    cudaError_t err =
        cudaLaunchCooperativeKernel((void*)mean_coop, dim3(blocks), dim3(threads), args, threads * sizeof(float), 0);
    cudaDeviceSynchronize();
    cudaFree(partials);
    return err == cudaSuccess;
}
