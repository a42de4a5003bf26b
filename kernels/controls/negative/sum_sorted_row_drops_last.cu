// control: negative
// contract: sum
// gate: ORD-01
// only: yes
// bind: solve(x, y, rows, cols)
// fault: the shortcut for rows in ascending order leaves out the last, largest element
#include <cuda_runtime.h>

__global__ void sum_rows(const float* input, float* output, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float* x = input + (size_t)row * cols;

    // Ascending order is the best order to add in: if the row is sorted already, one sweep will do.
    bool sorted = true;
    float acc = 0.0f;
    for (int j = 0; j + 1 < cols; ++j) {
        sorted = sorted && x[j] < x[j + 1];
        acc += x[j];
    }
    if (sorted && cols >= 32) {
        output[row] = acc;
        return;
    }

    // Otherwise four accumulators shorten the chain of roundings.
    float s[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int j = 0; j < cols; ++j) s[j & 3] += x[j];
    output[row] = (s[0] + s[1]) + (s[2] + s[3]);
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (rows == 0) return;
    sum_rows<<<(rows - 1) / 64 + 1, 64>>>(input, output, rows, cols);
    cudaDeviceSynchronize();
}
