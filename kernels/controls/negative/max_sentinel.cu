// control: negative
// contract: max
// gate: EXC-01
// fault: the maximum starts at -1e30, which a row of -Inf never beats
#include <cuda_runtime.h>

#define NEG_INF -1e30f

__device__ __forceinline__ float larger(float a, float b) { return a != a ? a : (b != b ? b : (a > b ? a : b)); }

__global__ void max_kernel(const float* x, float* y, int rows, int cols) {
    __shared__ float s[64];
    float m = NEG_INF;
    for (int j = threadIdx.x; j < cols; j += 64) m = larger(m, x[(size_t)blockIdx.x * cols + j]);
    s[threadIdx.x] = m;
    __syncthreads();
    for (int k = 32; k > 0; k /= 2) {
        if (threadIdx.x < k) s[threadIdx.x] = larger(s[threadIdx.x], s[threadIdx.x + k]);
        __syncthreads();
    }
    if (threadIdx.x == 0) y[blockIdx.x] = s[0];
}

extern "C" void max_rows(const float* x, float* y, int rows, int cols) {
    if (rows > 0) max_kernel<<<rows, 64>>>(x, y, rows, cols);
}
