// control: negative
// contract: sum
// gate: CMP-03
// also: CMP-01, ORD-03
// bind: solve(x, y, rows, cols)
// fault: each thread of the warp adds cols / 32 elements, the last cols % 32 are never read
#include <cuda_runtime.h>

__global__ void row_sum_warp(const float* __restrict__ in, float* __restrict__ out, int rows, int cols) {
    const int row = blockIdx.x * 8 + threadIdx.y;
    if (row >= rows) return;
    const float* x = in + (size_t)row * cols;
    const int steps = cols < 32 ? 1 : cols / 32;
    float acc = 0.0f;
    for (int s = 0; s < steps; ++s) {
        const int j = s * 32 + threadIdx.x;
        if (j < cols) acc += x[j];
    }
    for (int o = 16; o > 0; o >>= 1) acc += __shfl_xor_sync(0xffffffff, acc, o);
    if (threadIdx.x == 0) out[row] = acc;
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (rows == 0) return;
    row_sum_warp<<<(rows + 7) / 8, dim3(32, 8)>>>(input, output, rows, cols);
    cudaDeviceSynchronize();
}
