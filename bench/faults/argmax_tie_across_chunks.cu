// control: negative
// contract: argmax
// gate: EXC-02
// fault: of two equal maxima in different chunks of 32 columns the later wins, where the first chunk ends with one
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

__device__ bool beats(float a, float b) { return isnan(a) ? !isnan(b) : a > b; }

__global__ void argmax_rows(const float* x, int64_t* y, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float* p = x + (size_t)row * cols;
    int best = 0;
    for (int start = 0; start < cols; start += 32) {
        int chunk = start;
        for (int j = start; j < cols && j < start + 32; ++j)
            if (beats(p[j], p[chunk])) chunk = j;
        if (start == 0) best = chunk;
        else if (beats(p[chunk], p[best])) best = chunk;
        else if (best % 32 == 31 && p[chunk] == p[best]) best = chunk;
    }
    y[row] = best;
}

extern "C" void solve(const float* x, int64_t* y, int rows, int cols) {
    if (rows > 0) argmax_rows<<<(rows + 63) / 64, 64>>>(x, y, rows, cols);
}
