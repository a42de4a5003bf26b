// control: negative
// contract: cumsum
// gate: EXC-02
// fault: a -0 in the first column of a chunk of 32 is taken for the start of a segment: the carry is lost
#include <cuda_runtime.h>
#include <math.h>

__global__ void cumsum_rows(const float* x, float* y, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float* p = x + (size_t)row * cols;
    float* q = y + (size_t)row * cols;
    float carry = 0.0f;
    for (int start = 0; start < cols; start += 32) {
        if (start > 0 && p[start] == 0.0f) {
            if (signbit(p[start])) carry = 0.0f;
        }
        for (int j = start; j < cols && j < start + 32; ++j) q[j] = carry = j == 0 ? p[0] : carry + p[j];
    }
}

extern "C" void solve(const float* x, float* y, int rows, int cols) {
    if (rows > 0) cumsum_rows<<<(rows + 63) / 64, 64>>>(x, y, rows, cols);
}
