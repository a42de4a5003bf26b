// control: negative
// contract: sum
// gate: RES-01
// bind: solve(x, y, rows, cols)
// fault: eight warps leave their sums in a shared array of four
#include <cuda_runtime.h>

__global__ void sum_kernel(const float* input, float* output, int cols) {
    __shared__ float warp_sums[4];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float acc = 0.0f;
    for (int j = threadIdx.x; j < cols; j += blockDim.x) acc += input[(size_t)blockIdx.x * cols + j];
    for (int o = 16; o > 0; o >>= 1) acc += __shfl_down_sync(0xffffffff, acc, o);
    if (lane == 0) warp_sums[warp] = acc;
    __syncthreads();
    if (threadIdx.x == 0) {
        float total = 0.0f;
        for (int w = 0; w < blockDim.x / 32; ++w) total += warp_sums[w];
        output[blockIdx.x] = total;
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (rows == 0) return;
    sum_kernel<<<rows, 256>>>(input, output, cols);
    cudaDeviceSynchronize();
}
