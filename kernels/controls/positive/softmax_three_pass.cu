// control: positive
// contract: softmax
// bind: solve(x, y, rows, cols)
#include <cuda_runtime.h>
#include <float.h>
#include <math.h>

#define TPB 256

__global__ void softmax_kernel(const float* input, float* output, int rows, int cols) {
    extern __shared__ float buf[];
    int row = blockIdx.x;
    int tid = threadIdx.x;
    const float* in = input + (size_t)row * cols;
    float* out = output + (size_t)row * cols;

    // 1. maximum
    float m = -INFINITY;
    for (int i = tid; i < cols; i += blockDim.x) m = fmaxf(m, in[i]);
    buf[tid] = m;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (tid < stride) buf[tid] = fmaxf(buf[tid], buf[tid + stride]);
        __syncthreads();
    }
    m = buf[0];
    __syncthreads();

    // 2. sum of exponentials
    float sum = 0.0f;
    for (int i = tid; i < cols; i += blockDim.x) sum += expf(in[i] - m);
    buf[tid] = sum;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (tid < stride) buf[tid] += buf[tid + stride];
        __syncthreads();
    }
    sum = buf[0];

    // 3. normalise
    for (int i = tid; i < cols; i += blockDim.x) out[i] = expf(in[i] - m) / sum;
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (rows == 0 || cols == 0) return;
    softmax_kernel<<<rows, TPB, TPB * sizeof(float)>>>(input, output, rows, cols);
    cudaDeviceSynchronize();
}
