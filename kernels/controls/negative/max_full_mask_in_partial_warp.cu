// control: negative
// contract: max
// gate: RES-02
// bind: row_max(x, y, rows, cols)
// fault: the last step shuffles with a full mask in a branch that only four lanes take
#include <cuda_runtime.h>
#include <math.h>

__device__ __forceinline__ float nmax(float a, float b) { return (a > b || a != a) ? a : b; }

__global__ void row_max_kernel(const float* __restrict__ x, float* __restrict__ y, int cols) {
    __shared__ float warp_max[4];
    const int warps = blockDim.x / 32;
    float m = -INFINITY;
    for (int j = threadIdx.x; j < cols; j += blockDim.x) m = nmax(m, x[(size_t)blockIdx.x * cols + j]);
    for (int o = 16; o > 0; o >>= 1) m = nmax(m, __shfl_down_sync(0xffffffff, m, o));
    if (threadIdx.x % 32 == 0) warp_max[threadIdx.x / 32] = m;
    __syncthreads();
    if (threadIdx.x < warps) {
        m = warp_max[threadIdx.x];
        for (int o = warps / 2; o > 0; o >>= 1) m = nmax(m, __shfl_down_sync(0xffffffff, m, o));
        if (threadIdx.x == 0) y[blockIdx.x] = m;
    }
}

void row_max(const float* x, float* y, int rows, int cols) {
    if (rows > 0) row_max_kernel<<<rows, 128>>>(x, y, cols);
}
