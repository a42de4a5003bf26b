// control: negative
// contract: softmax_backward
// gate: CMP-02
// also: CMP-01, CMP-03
// bind: solve(x, dy, dx, rows, cols)
// fault: the dot product leaves out the last column
#include <cuda_runtime.h>
#include <math.h>

__global__ void softmax_backward_kernel(const float* x, const float* dy, float* dx, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float* xr = x + (size_t)row * cols;
    const float* gr = dy + (size_t)row * cols;
    float* out = dx + (size_t)row * cols;
    float m = xr[0];
    for (int j = 1; j < cols; ++j) m = fmaxf(m, xr[j]);
    float s = 0.0f, dot = 0.0f;
    for (int j = 0; j < cols; ++j) s += expf(xr[j] - m);
    for (int j = 0; j < cols - 1; ++j) dot += gr[j] * expf(xr[j] - m) / s;
    for (int j = 0; j < cols; ++j) out[j] = expf(xr[j] - m) / s * (gr[j] - dot);
}

extern "C" void solve(const float* logits, const float* grad_out, float* grad_in, int rows, int cols) {
    if (rows == 0 || cols == 0) return;
    softmax_backward_kernel<<<(rows + 63) / 64, 64>>>(logits, grad_out, grad_in, rows, cols);
    cudaDeviceSynchronize();
}
