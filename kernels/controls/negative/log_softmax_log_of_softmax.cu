// control: negative
// contract: log_softmax
// gate: CMP-01
// also: CMP-03, EXC-01
// bind: solve(x, y, rows, cols)
// fault: takes the logarithm of the softmax, which is log(0) = -Inf where the softmax underflows
#include <cuda_runtime.h>
#include <math.h>

__global__ void log_softmax_kernel(const float* in, float* out, int rows, int cols) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const float* x = in + (size_t)row * cols;
    float* y = out + (size_t)row * cols;
    float m = -INFINITY;
    for (int j = threadIdx.x; j < cols; j += 32) m = fmaxf(m, x[j]);
    for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, o));
    float s = 0.0f;
    for (int j = threadIdx.x; j < cols; j += 32) s += expf(x[j] - m);
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffff, s, o);
    for (int j = threadIdx.x; j < cols; j += 32) y[j] = logf(expf(x[j] - m) / s);
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (rows == 0 || cols == 0) return;
    log_softmax_kernel<<<(rows - 1) / 4 + 1, dim3(32, 4)>>>(input, output, rows, cols);
    cudaDeviceSynchronize();
}
