// control: negative
// contract: quantize_i8_rowwise
// gate: CMP-01
// also: CMP-03, EXC-01, EXC-02, ORD-01
// fault: the scale comes from the largest value, not the largest magnitude
#include <cuda_runtime.h>
#include <cstdint>

__global__ void rowwise_kernel(const float* x, int8_t* y, float* s, int64_t rows, int64_t cols) {
    const int64_t r = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float most = 0.f;
    for (int64_t j = 0; j < cols; ++j) most = x[r * cols + j] > most ? x[r * cols + j] : most;
    s[r] = most / 127.f;
    for (int64_t j = 0; j < cols; ++j)
        y[r * cols + j] = (int8_t)fminf(fmaxf(rintf(x[r * cols + j] / s[r]), -128.f), 127.f);
}

void quantize_rows(const float* x, int8_t* y, float* s, int64_t rows, int64_t cols) {
    if (rows > 0) rowwise_kernel<<<(unsigned)((rows + 63) / 64), 64>>>(x, y, s, rows, cols);
}
