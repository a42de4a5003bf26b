// control: negative
// contract: softmax
// gate: CMP-03
// also: CMP-01, RES-01
// bind: solve(x, y, rows, cols)
// fault: one block of 128 threads, one element a thread: columns past 128 are ignored and not written
#include <cuda_runtime.h>
#include <math.h>

__global__ void softmax_128(const float* in, float* out, int cols) {
    __shared__ float s[128];
    const int j = threadIdx.x;
    const size_t at = (size_t)blockIdx.x * cols + j;
    const float v = j < cols ? in[at] : -INFINITY;
    s[j] = v;
    __syncthreads();
    for (int o = 64; o > 0; o >>= 1) {
        if (j < o) s[j] = fmaxf(s[j], s[j + o]);
        __syncthreads();
    }
    const float m = s[0];
    __syncthreads();
    const float e = j < cols ? expf(v - m) : 0.0f;
    s[j] = e;
    __syncthreads();
    for (int o = 64; o > 0; o >>= 1) {
        if (j < o) s[j] += s[j + o];
        __syncthreads();
    }
    if (j < cols) out[at] = e / s[0];
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (rows == 0 || cols == 0) return;
    softmax_128<<<rows, 128>>>(input, output, cols);
    cudaDeviceSynchronize();
}
