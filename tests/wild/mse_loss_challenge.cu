// contract: mse_loss
#include <cuda_runtime.h>

#define BLOCK 256
#define MAX_BLOCKS 32

__global__ void mse_partial(const float* predictions, const float* targets, float* partial, int N) {
    __shared__ float sdata[BLOCK];
    float sum = 0.0f;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < N; i += gridDim.x * BLOCK) {
        float diff = predictions[i] - targets[i];
        sum += diff * diff;
    }
    sdata[threadIdx.x] = sum;
    __syncthreads();
    if (BLOCK >= 256) { if (threadIdx.x < 128) sdata[threadIdx.x] += sdata[threadIdx.x + 128]; __syncthreads(); }
    if (BLOCK >= 128) { if (threadIdx.x < 64) sdata[threadIdx.x] += sdata[threadIdx.x + 64]; __syncthreads(); }
    if (threadIdx.x < 32) {
        float v = sdata[threadIdx.x] + sdata[threadIdx.x + 32];
        for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_down_sync(0xffffffff, v, offset);
        if (threadIdx.x == 0) partial[blockIdx.x] = v;
    }
}

__global__ void mse_final(const float* partial, float* mse, int blocks, int N) {
    float v = threadIdx.x < blocks ? partial[threadIdx.x] : 0.0f;
    for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_down_sync(0xffffffff, v, offset);
    if (threadIdx.x == 0) *mse = v / N;
}

extern "C" void solve(const float* predictions, const float* targets, float* mse, int N) {
    int blocks = (N + BLOCK - 1) / BLOCK;
    if (blocks > MAX_BLOCKS) blocks = MAX_BLOCKS;
    float* partial = nullptr;
    cudaMalloc(&partial, MAX_BLOCKS * sizeof(float));
    if (blocks > 0) mse_partial<<<blocks, BLOCK>>>(predictions, targets, partial, N);
    mse_final<<<1, 32>>>(partial, mse, blocks, N);
    cudaFree(partial);
}
