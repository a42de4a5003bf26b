// contract: prod
#include <cuda_runtime.h>

#define WARPS_PER_BLOCK 4
#define SHFL_DOWN(v, d) __shfl_down_sync(__activemask(), (v), (d))

__global__ void prod_rows(const float* in, float* out, const unsigned rows, const unsigned long cols) {
    const unsigned lane = threadIdx.x;                               // blockDim = (32, WARPS_PER_BLOCK)
    const unsigned row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row < rows) {
        float p = 1.f;
        for (unsigned long c = lane; c < cols; c += 32u) p *= in[row * cols + c];
        p *= SHFL_DOWN(p, 16);
        p *= SHFL_DOWN(p, 8);
        p *= SHFL_DOWN(p, 4);
        p *= SHFL_DOWN(p, 2);
        p *= SHFL_DOWN(p, 1);
        if (lane == 0) out[row] = p;
    }
}

void prod(const float* in, float* out, unsigned rows, unsigned long cols) {
    dim3 block(32, WARPS_PER_BLOCK);
    dim3 grid((rows + block.y - 1) / block.y);
    if (grid.x > 0) prod_rows<<<grid, block>>>(in, out, rows, cols);
}
