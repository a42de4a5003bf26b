// control: negative
// contract: transpose
// gate: CMP-01
// also: CMP-03, EXC-01, RES-01
// bind: solve(x, y, m, n)
// fault: the result is addressed with the input's row length, right for square matrices only
#include <cuda_runtime.h>
#include <cstdint>

__global__ void transpose_kernel(const float* in, float* out, int64_t rows, int64_t cols) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= rows * cols) return;
    const int64_t r = e / cols, c = e % cols;
    const int64_t to = c * cols + r;
    if (to < rows * cols) out[to] = in[e];
}

extern "C" void solve(const float* input, float* output, int64_t rows, int64_t cols) {
    const int64_t total = rows * cols;
    if (total == 0) return;
    transpose_kernel<<<(unsigned)((total + 255) / 256), 256>>>(input, output, rows, cols);
    cudaDeviceSynchronize();
}
