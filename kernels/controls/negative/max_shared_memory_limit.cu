// control: negative
// contract: max
// gate: RES-02
// also: CMP-01, CMP-03, RES-01
// bind: solve(x, y, rows, cols)
// fault: 128 bytes of dynamic shared memory a column pass the 48 KiB limit where cols > 384, the error goes unseen
#include <cuda_runtime.h>
#include <math.h>

#define ROWS_PER_BLOCK 32

__global__ void max_kernel(const float* in, float* out, int rows, int cols) {
    extern __shared__ float tile[];
    const int row = blockIdx.x * ROWS_PER_BLOCK + threadIdx.x;
    if (row >= rows) return;
    float* mine = tile + (size_t)threadIdx.x * cols;
    for (int j = 0; j < cols; ++j) mine[j] = in[(size_t)row * cols + j];
    float m = -INFINITY;
    for (int j = 0; j < cols; ++j)
        if (mine[j] > m || mine[j] != mine[j]) m = mine[j];
    out[row] = m;
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (rows == 0) return;
    const size_t bytes = (size_t)ROWS_PER_BLOCK * cols * sizeof(float);
    max_kernel<<<(rows - 1) / ROWS_PER_BLOCK + 1, ROWS_PER_BLOCK, bytes>>>(input, output, rows, cols);
    cudaDeviceSynchronize();
}
