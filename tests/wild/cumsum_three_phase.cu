// contract: cumsum --where "rows == 1" --bind "solve(x, y, cols)"
#include <cuda_runtime.h>

#define BLOCK_SIZE 128

// Hillis-Steele within a block, double buffered in shared memory.
__global__ void scan_blocks(const float* in, float* out, float* block_sums, int n) {
    __shared__ float temp[2][BLOCK_SIZE];
    int tid = threadIdx.x;
    int idx = blockIdx.x * BLOCK_SIZE + tid;
    int pout = 0, pin = 1;
    temp[pout][tid] = idx < n ? in[idx] : 0.0f;
    __syncthreads();
    for (int offset = 1; offset < BLOCK_SIZE; offset <<= 1) {
        pout = 1 - pout;
        pin = 1 - pout;
        if (tid >= offset)
            temp[pout][tid] = temp[pin][tid] + temp[pin][tid - offset];
        else
            temp[pout][tid] = temp[pin][tid];
        __syncthreads();
    }
    if (idx < n) out[idx] = temp[pout][tid];
    if (block_sums && tid == BLOCK_SIZE - 1) block_sums[blockIdx.x] = temp[pout][tid];
}

__global__ void add_offsets(float* data, const float* offsets, int n) {
    int idx = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    if (blockIdx.x > 0 && idx < n) data[idx] += offsets[blockIdx.x - 1];
}

static void scan(const float* in, float* out, int n) {
    int blocks = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
    if (blocks <= 1) {
        scan_blocks<<<1, BLOCK_SIZE>>>(in, out, nullptr, n);
        return;
    }
    float *sums, *scanned;
    cudaMalloc(&sums, blocks * sizeof(float));
    cudaMalloc(&scanned, blocks * sizeof(float));
    scan_blocks<<<blocks, BLOCK_SIZE>>>(in, out, sums, n);
    scan(sums, scanned, blocks);  // recursively, as deep as it takes
    add_offsets<<<blocks, BLOCK_SIZE>>>(out, scanned, n);
    cudaFree(sums);
    cudaFree(scanned);
}

extern "C" void solve(const float* input, float* output, int N) {
    if (N > 0) scan(input, output, N);
    cudaDeviceSynchronize();
}
