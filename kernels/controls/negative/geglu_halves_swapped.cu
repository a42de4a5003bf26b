// control: negative
// contract: geglu
// gate: CMP-01
// also: CMP-03, EXC-01, EXC-02
// fault: gelu is taken of the first half, as swiglu takes silu
#include <cuda_runtime.h>
#include <cstdint>

__global__ void geglu_kernel(const float* x, float* y, int64_t total, int64_t cols) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= total) return;
    const float* row = x + e / cols * 2 * cols;
    const float gate = row[e % cols];
    y[e] = row[cols + e % cols] * (0.5f * gate * (1.f + erff(gate * 0.70710678118654752f)));
}

void geglu(const float* x, float* y, int64_t rows, int64_t cols) {
    if (rows * cols > 0) geglu_kernel<<<(unsigned)((rows * cols + 127) / 128), 128>>>(x, y, rows * cols, cols);
}
