// control: negative
// contract: max
// gate: EXC-01
// fault: in rows of 128 and more, a NaN in the last of three left-over columns is lost
#include <cuda_runtime.h>
#include <math.h>

__device__ float pick(float a, float b) {
    if (isnan(a)) return a;
    if (isnan(b)) return b;
    return fmaxf(a, b);
}

__global__ void max_rows(const float* x, float* y, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float* p = x + (size_t)row * cols;
    float m = -INFINITY;
    if (cols < 128) {
        for (int j = 0; j < cols; ++j) m = pick(m, p[j]);
    } else {
        // Four at a time; the tail is written out.
        int j = 0;
        for (; j + 4 <= cols; j += 4) m = pick(pick(m, p[j]), pick(pick(p[j + 1], p[j + 2]), p[j + 3]));
        switch (cols - j) {
            case 1: m = pick(m, p[j]); break;
            case 2: m = pick(pick(m, p[j]), p[j + 1]); break;
            case 3: m = fmaxf(pick(pick(m, p[j]), p[j + 1]), p[j + 2]); break;
        }
    }
    y[row] = m;
}

extern "C" void solve(const float* x, float* y, int rows, int cols) {
    if (rows > 0) max_rows<<<(rows + 63) / 64, 64>>>(x, y, rows, cols);
}
