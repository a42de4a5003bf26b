// control: negative
// contract: max
// gate: CMP-01
// also: CMP-03, ORD-01, EXC-01
// bind: solve(x, y, rows, cols)
// fault: the last column is never looked at
#include <cuda_runtime.h>
#include <math.h>

__global__ void max_kernel(const float* in, float* out, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float* x = in + (size_t)row * cols;
    float m = x[0];
    for (int j = 1; j < cols - 1; j++) {
        if (isnan(x[j]) || x[j] > m) m = x[j];
        if (isnan(m)) break;
    }
    out[row] = m;
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (rows == 0) return;
    max_kernel<<<(rows - 1) / 64 + 1, 64>>>(input, output, rows, cols);
    cudaDeviceSynchronize();
}
