// control: positive
// contract: cumsum
// bind: solve(x, y, rows, cols)
#include <cuda_runtime.h>

#define THREADS 128
#define WARPS (THREADS / 32)

// Inclusive scan of a row, a tile of 128 at a time, the carry in a register of every thread.
__global__ void cumsum_kernel(const float* input, float* output, int cols) {
    __shared__ float warp_sums[WARPS];
    const float* in = input + (size_t)blockIdx.x * cols;
    float* out = output + (size_t)blockIdx.x * cols;
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
    float carry = 0.0f;

    for (int base = 0; base < cols; base += THREADS) {
        const int j = base + threadIdx.x;
        float v = j < cols ? in[j] : 0.0f;
        for (int d = 1; d < 32; d <<= 1) {
            const float up = __shfl_up_sync(0xffffffffu, v, d);
            if (lane >= d) v += up;
        }
        if (lane == 31) warp_sums[warp] = v;
        __syncthreads();
        float before = carry;
        for (int w = 0; w < warp; ++w) before += warp_sums[w];
        if (j < cols) out[j] = before + v;
        for (int w = 0; w < WARPS; ++w) carry += warp_sums[w];
        __syncthreads();
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (rows == 0 || cols == 0) return;
    cumsum_kernel<<<rows, THREADS>>>(input, output, cols);
    cudaDeviceSynchronize();
}
