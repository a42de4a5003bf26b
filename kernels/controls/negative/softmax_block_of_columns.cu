// control: negative
// contract: softmax
// gate: RES-02
// also: CMP-01, CMP-03, RES-01
// bind: solve(x, y, rows, cols)
// fault: a block of cols x 8 threads passes 1024 where cols > 128, and the launch error goes unseen
#include <cuda_runtime.h>
#include <math.h>

__global__ void softmax_kernel(const float* in, float* out, int rows, int cols) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const float* x = in + (size_t)row * cols;
    float m = x[0];
    for (int j = 1; j < cols; ++j) m = fmaxf(m, x[j]);
    float s = 0.0f;
    for (int j = 0; j < cols; ++j) s += expf(x[j] - m);
    out[(size_t)row * cols + threadIdx.x] = expf(x[threadIdx.x] - m) / s;
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (rows == 0 || cols == 0) return;
    dim3 block(cols, 8);
    softmax_kernel<<<(rows - 1) / 8 + 1, block>>>(input, output, rows, cols);
    cudaDeviceSynchronize();
}
