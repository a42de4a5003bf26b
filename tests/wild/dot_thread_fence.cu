// contract: dot
#include <cuda_runtime.h>
#include <cub/cub.cuh>

template <int kThreads>
__global__ void dot_partial(const float* a, const float* b, size_t n, float* partial) {
    using BlockReduce = cub::BlockReduce<float, kThreads, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
    __shared__ typename BlockReduce::TempStorage storage;
    float v = 0.f;
    for (size_t i = blockIdx.x * (size_t)kThreads + threadIdx.x; i < n; i += (size_t)kThreads * gridDim.x)
        v = fmaf(a[i], b[i], v);
    const float block_total = BlockReduce(storage).Sum(v);
    if (threadIdx.x == 0) partial[blockIdx.x] = block_total;
}

template <int kThreads>
__global__ void dot_final(const float* partial, int count, float* result) {
    using WarpReduce = cub::WarpReduce<float>;
    __shared__ typename WarpReduce::TempStorage storage;
    float v = 0.f;
    for (int i = threadIdx.x; i < count; i += 32) v += partial[i];
    v = WarpReduce(storage).Sum(v);
    if (threadIdx.x == 0) *result = v;
}

extern "C" void dot_product(const float* A, const float* B, float* result, size_t N) {
    const int blocks = 16;
    float* partial = nullptr;
    cudaMalloc(&partial, blocks * sizeof(float));
    dot_partial<128><<<blocks, 128>>>(A, B, N, partial);
    dot_final<32><<<1, 32>>>(partial, blocks, result);
    cudaFree(partial);
}
