// control: negative
// contract: softmax
// gate: RES-02
// also: ORD-02, CMP-01, CMP-02, CMP-03, EXC-01
// bind: solve(x, y, rows, cols)
// fault: the warps' sums go where slower warps still read the maxima: a barrier between the two phases is missing
#include <cuda_runtime.h>
#include <math.h>

#define THREADS 128
#define WARPS (THREADS / 32)

__global__ void softmax_kernel(const float* __restrict__ x, float* __restrict__ y, int cols) {
    __shared__ float parts[WARPS];
    const float* in = x + (size_t)blockIdx.x * cols;
    float* out = y + (size_t)blockIdx.x * cols;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    float m = -INFINITY;
    for (int j = threadIdx.x; j < cols; j += THREADS) m = fmaxf(m, in[j]);
    for (int d = 16; d > 0; d >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, d));
    if (lane == 0) parts[warp] = m;
    __syncthreads();
    for (int w = 0; w < WARPS; ++w) m = fmaxf(m, parts[w]);

    float sum = 0.0f;
    for (int j = threadIdx.x; j < cols; j += THREADS) sum += expf(in[j] - m);
    for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (lane == 0) parts[warp] = sum;
    __syncthreads();
    sum = 0.0f;
    for (int w = 0; w < WARPS; ++w) sum += parts[w];
    for (int j = threadIdx.x; j < cols; j += THREADS) out[j] = expf(in[j] - m) / sum;
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (rows == 0 || cols == 0) return;
    softmax_kernel<<<rows, THREADS>>>(input, output, cols);
    cudaDeviceSynchronize();
}
