// control: negative
// contract: softmax
// gate: RES-02
// only: yes
// bind: solve(x, y, rows, cols)
// fault: threads of one block meet __syncthreads in different branches
#include <cuda_runtime.h>
#include <math.h>

#define THREADS 64

__global__ void softmax_kernel(const float* input, float* output, int cols) {
    __shared__ float s_max[THREADS];
    __shared__ float s_sum[THREADS];
    const float* in = input + (size_t)blockIdx.x * cols;
    float* out = output + (size_t)blockIdx.x * cols;
    const int tid = threadIdx.x;

    // Threads without an element only help to keep the barriers balanced.
    float m = -INFINITY;
    if (tid < cols) {
        for (int j = tid; j < cols; j += THREADS) m = fmaxf(m, in[j]);
        s_max[tid] = m;
        __syncthreads();
    } else {
        s_max[tid] = -INFINITY;
        __syncthreads();
    }
    for (int t = 0; t < THREADS; ++t) m = fmaxf(m, s_max[t]);

    float s = 0.0f;
    for (int j = tid; j < cols; j += THREADS) s += expf(in[j] - m);
    s_sum[tid] = s;
    __syncthreads();
    s = 0.0f;
    for (int t = 0; t < THREADS; ++t) s += s_sum[t];
    for (int j = tid; j < cols; j += THREADS) out[j] = expf(in[j] - m) / s;
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (rows == 0 || cols == 0) return;
    softmax_kernel<<<rows, THREADS>>>(input, output, cols);
    cudaDeviceSynchronize();
}
