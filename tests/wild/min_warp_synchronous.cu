// contract: min
#include <cuda_runtime.h>

#define BLOCK 128

__device__ float nan_min(float a, float b) { return (a < b || a != a) ? a : b; }

// The last warp goes on without block barriers, the classic way.
__device__ void warp_reduce_min(volatile float* sdata, unsigned tid) {
    for (unsigned d = 32; d >= 1; d >>= 1) {
        float v = nan_min(sdata[tid], sdata[tid + d]);
        __syncwarp();
        sdata[tid] = v;
        __syncwarp();
    }
}

__global__ void reduce_min(const float* g_idata, float* g_odata, size_t n) {
    __shared__ float sdata[BLOCK];
    unsigned tid = threadIdx.x;
    const float* row = g_idata + blockIdx.x * n;
    float v = INFINITY;
    for (size_t i = tid; i < n; i += BLOCK) v = nan_min(v, row[i]);
    sdata[tid] = v;
    __syncthreads();
    for (unsigned s = BLOCK / 2; s > 32; s >>= 1) {
        if (tid < s) sdata[tid] = nan_min(sdata[tid], sdata[tid + s]);
        __syncthreads();
    }
    if (tid < 32) warp_reduce_min(sdata, tid);
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

void min_dim1(const float* d_in, float* d_out, size_t rows, size_t cols) {
    if (rows == 0) return;
    reduce_min<<<rows, BLOCK>>>(d_in, d_out, cols);
}
