// control: negative
// contract: softmax
// gate: CMP-01
// also: CMP-03, EXC-01
// bind: solve(x, y, rows, cols)
// fault: exponentials are taken without subtracting the row's maximum
#include <cuda_runtime.h>

__global__ void softmax_kernel(const float* input, float* output, int rows, int cols) {
    __shared__ float partial[256];
    int row = blockIdx.x;
    const float* in = input + (size_t)row * cols;
    float* out = output + (size_t)row * cols;
    float sum = 0.0f;
    for (int j = threadIdx.x; j < cols; j += blockDim.x) {
        float e = expf(in[j]);
        out[j] = e;
        sum += e;
    }
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
        __syncthreads();
    }
    for (int j = threadIdx.x; j < cols; j += blockDim.x) out[j] /= partial[0];
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (rows == 0 || cols == 0) return;
    softmax_kernel<<<rows, 256>>>(input, output, rows, cols);
    cudaDeviceSynchronize();
}
