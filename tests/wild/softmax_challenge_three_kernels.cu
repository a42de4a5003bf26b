// contract: softmax --where "rows == 1" --bind "solve(x, y, cols)"
#include <cuda_runtime.h>
#include <float.h>

#define BLOCK_SIZE 256

__global__ void block_max(const float* in, float* partial, int N) {
    extern __shared__ float sdata[];
    int tid = threadIdx.x;
    float m = -FLT_MAX;
    for (int i = blockIdx.x * blockDim.x + tid; i < N; i += gridDim.x * blockDim.x) m = fmaxf(m, in[i]);
    sdata[tid] = m;
    __syncthreads();
    for (int s = blockDim.x >> 1; s > 0; s >>= 1) {
        if (tid < s) sdata[tid] = fmaxf(sdata[tid], sdata[tid + s]);
        __syncthreads();
    }
    if (tid == 0) partial[blockIdx.x] = sdata[0];
}

__global__ void block_sum_exp(const float* in, const float* global_max, float* partial, int N) {
    extern __shared__ float sdata[];
    int tid = threadIdx.x;
    float m = *global_max, acc = 0.0f;
    for (int i = blockIdx.x * blockDim.x + tid; i < N; i += gridDim.x * blockDim.x) acc += expf(in[i] - m);
    sdata[tid] = acc;
    __syncthreads();
    for (int s = blockDim.x >> 1; s > 0; s >>= 1) {
        if (tid < s) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) partial[blockIdx.x] = sdata[0];
}

__global__ void sum_partials(const float* partial, float* total, int n) {
    float acc = 0.0f;
    for (int i = 0; i < n; ++i) acc += partial[i];
    *total = acc;
}

__global__ void normalize(const float* in, float* out, const float* global_max, const float* total, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) out[i] = expf(in[i] - *global_max) / *total;
}

extern "C" void solve(const float* input, float* output, int N) {
    int blocks = (N + BLOCK_SIZE - 1) / BLOCK_SIZE;
    int reduce_blocks = blocks < 64 ? blocks : 64;
    float *d_partial, *d_max, *d_sum;
    cudaMalloc(&d_partial, reduce_blocks * sizeof(float));
    cudaMalloc(&d_max, sizeof(float));
    cudaMalloc(&d_sum, sizeof(float));

    size_t smem = BLOCK_SIZE * sizeof(float);
    block_max<<<reduce_blocks, BLOCK_SIZE, smem>>>(input, d_partial, N);
    block_max<<<1, BLOCK_SIZE, smem>>>(d_partial, d_max, reduce_blocks);
    block_sum_exp<<<reduce_blocks, BLOCK_SIZE, smem>>>(input, d_max, d_partial, N);
    sum_partials<<<1, 1>>>(d_partial, d_sum, reduce_blocks);
    normalize<<<blocks, BLOCK_SIZE>>>(input, output, d_max, d_sum, N);

    cudaDeviceSynchronize();
    cudaFree(d_partial);
    cudaFree(d_max);
    cudaFree(d_sum);
}
