// control: negative
// contract: argmax
// gate: EXC-01
// bind: solve(x, y, rows, cols)
// fault: comparisons with NaN are false, so a NaN never becomes the maximum
#include <cuda_runtime.h>
#include <cstdint>
#include <math.h>

__global__ void argmax_kernel(const float* x, int64_t* y, int rows, int cols) {
    const int lane = threadIdx.x;
    float best = -INFINITY;
    int at = 0;
    for (int j = lane; j < cols; j += 32) {
        const float v = x[(size_t)blockIdx.x * cols + j];
        if (v > best || (j == lane && v == best)) {
            best = v;
            at = j;
        }
    }
    if (lane >= cols) at = cols;
    for (int o = 16; o > 0; o >>= 1) {
        const float v = __shfl_down_sync(0xffffffff, best, o);
        const int i = __shfl_down_sync(0xffffffff, at, o);
        if (v > best || (v == best && i < at)) {
            best = v;
            at = i;
        }
    }
    if (lane == 0) y[blockIdx.x] = at;
}

extern "C" void solve(const float* input, int64_t* output, int rows, int cols) {
    if (rows == 0 || cols == 0) return;
    argmax_kernel<<<rows, 32>>>(input, output, rows, cols);
    cudaDeviceSynchronize();
}
