// control: negative
// contract: softmax
// gate: CMP-01
// also: CMP-03, EXC-01
// bind: solve(x, y, rows, cols)
// fault: normalises columns instead of rows
#include <cuda_runtime.h>
#include <math.h>

__global__ void softmax_dim0(const float* in, float* out, int rows, int cols) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    float m = -INFINITY, s = 0.0f;
    for (int r = 0; r < rows; ++r) m = fmaxf(m, in[(size_t)r * cols + c]);
    for (int r = 0; r < rows; ++r) s += expf(in[(size_t)r * cols + c] - m);
    for (int r = 0; r < rows; ++r) out[(size_t)r * cols + c] = expf(in[(size_t)r * cols + c] - m) / s;
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (rows == 0 || cols == 0) return;
    softmax_dim0<<<(cols - 1) / 128 + 1, 128>>>(input, output, rows, cols);
    cudaDeviceSynchronize();
}
