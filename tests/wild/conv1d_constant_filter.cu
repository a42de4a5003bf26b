// contract: conv1d --where "n == 1, ci == 1, co == 1, k <= 33, stride == 1, padding == 0, dilation == 1, groups == 1, l <= 2000" --bind "solve(x, f, bias, y, l, k)"
#include <cuda_runtime.h>

#define MAX_KERNEL 64
#define BLOCK 128

__constant__ float c_filter[MAX_KERNEL];

// Each block stages its part of the signal, with the halo, in shared memory.
__global__ void convolution_1d_kernel(const float* input, const float* bias, float* output, int input_size, int kernel_size) {
    extern __shared__ float tile[];
    const int out_size = input_size - kernel_size + 1;
    const int start = blockIdx.x * BLOCK;
    for (int i = threadIdx.x; i < BLOCK + kernel_size - 1; i += BLOCK)
        if (start + i < input_size) tile[i] = input[start + i];
    __syncthreads();
    const int o = start + threadIdx.x;
    if (o >= out_size) return;
    float acc = 0.0f;
    for (int j = 0; j < kernel_size; ++j) acc += tile[threadIdx.x + j] * c_filter[j];
    output[o] = acc + bias[0];
}

// input, kernel, output are device pointers
extern "C" void solve(const float* input, const float* kernel, const float* bias, float* output, int input_size, int kernel_size) {
    int output_size = input_size - kernel_size + 1;
    int blocksPerGrid = (output_size + BLOCK - 1) / BLOCK;
    cudaMemcpyToSymbol(c_filter, kernel, kernel_size * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolution_1d_kernel<<<blocksPerGrid, BLOCK, (BLOCK + kernel_size - 1) * sizeof(float)>>>(input, bias, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
