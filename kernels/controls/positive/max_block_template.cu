// control: positive
// contract: max
// bind: solve(x, y, rows, cols)
#include <cuda_runtime.h>
#include <math.h>

// fmaxf drops NaN; torch.max does not.
__device__ __forceinline__ float nan_max(float a, float b) {
    return (a > b || a != a) ? a : b;
}

template <int BLOCK>
__global__ void __launch_bounds__(BLOCK) row_max(const float* __restrict__ in, float* __restrict__ out, int cols) {
    __shared__ float s[BLOCK];
    const float* row = in + (size_t)blockIdx.x * cols;
    float m = -INFINITY;
    for (int j = threadIdx.x; j < cols; j += BLOCK) m = nan_max(m, row[j]);
    s[threadIdx.x] = m;
    __syncthreads();
#pragma unroll
    for (int w = BLOCK / 2; w > 0; w >>= 1) {
        if (threadIdx.x < w) s[threadIdx.x] = nan_max(s[threadIdx.x], s[threadIdx.x + w]);
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (rows == 0) return;
    if (cols <= 64) {
        row_max<32><<<rows, 32>>>(input, output, cols);
    } else if (cols <= 512) {
        row_max<128><<<rows, 128>>>(input, output, cols);
    } else {
        row_max<256><<<rows, 256>>>(input, output, cols);
    }
    cudaDeviceSynchronize();
}
