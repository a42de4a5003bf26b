// control: negative
// contract: max
// gate: EXC-01
// bind: solve(x, y, rows, cols)
// fault: fmaxf drops NaN
#include <cuda_runtime.h>
#include <math.h>

__global__ void max_kernel(const float* input, float* output, int rows, int cols) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float m = -INFINITY;
    for (int j = threadIdx.x; j < cols; j += 32) m = fmaxf(m, input[(size_t)row * cols + j]);
    for (int offset = 16; offset > 0; offset /= 2) m = fmaxf(m, __shfl_down_sync(0xffffffff, m, offset));
    if (threadIdx.x == 0) output[row] = m;
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (rows == 0) return;
    dim3 block(32, 8);
    max_kernel<<<(rows - 1) / 8 + 1, block>>>(input, output, rows, cols);
    cudaDeviceSynchronize();
}
