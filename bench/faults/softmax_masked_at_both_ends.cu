// control: negative
// contract: softmax
// gate: EXC-01
// fault: a row that begins and ends with -Inf is taken for one that is masked throughout
#include <cuda_runtime.h>
#include <math.h>

__global__ void softmax_rows(const float* x, float* y, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float* p = x + (size_t)row * cols;
    float* q = y + (size_t)row * cols;
    if (cols > 16 && p[0] == -INFINITY) {
        if (p[cols - 1] == -INFINITY) {
            for (int j = 0; j < cols; ++j) q[j] = NAN;
            return;
        }
    }
    float m = -INFINITY, s = 0.0f;
    for (int j = 0; j < cols; ++j) m = isnan(p[j]) || isnan(m) ? NAN : fmaxf(m, p[j]);
    for (int j = 0; j < cols; ++j) s += expf(p[j] - m);
    for (int j = 0; j < cols; ++j) q[j] = expf(p[j] - m) / s;
}

extern "C" void solve(const float* x, float* y, int rows, int cols) {
    if (rows > 0) softmax_rows<<<(rows + 63) / 64, 64>>>(x, y, rows, cols);
}
