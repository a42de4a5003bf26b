// control: negative
// contract: max
// gate: CMP-01
// also: CMP-03, ORD-01, EXC-01
// bind: solve(x, y, rows, cols)
// fault: the maximum starts at FLT_MIN, the least positive normal number, so negative rows come out positive
#include <cuda_runtime.h>
#include <float.h>

__global__ void row_max(const float* input, float* output, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float best = FLT_MIN;
        for (int j = 0; j < cols; ++j) {
            float v = input[(size_t)row * cols + j];
            if (v > best || v != v) best = v;
        }
        output[row] = best;
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (rows == 0) return;
    row_max<<<(rows - 1) / 128 + 1, 128>>>(input, output, rows, cols);
    cudaDeviceSynchronize();
}
