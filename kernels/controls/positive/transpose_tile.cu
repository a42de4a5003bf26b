// control: positive
// contract: transpose
// bind: solve(x, y, m, n)
#include <cuda_runtime.h>
#include <cstdint>

#define TILE_DIM 32
#define BLOCK_ROWS 8

// Padded tile: reads and writes are both coalesced, no bank conflicts.
__global__ void transpose_kernel(const float* input, float* output, int64_t rows, int64_t cols, int64_t tiles_across) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    const int64_t r0 = blockIdx.x / tiles_across * TILE_DIM;
    const int64_t c0 = blockIdx.x % tiles_across * TILE_DIM;

    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        const int64_t r = r0 + threadIdx.y + k, c = c0 + threadIdx.x;
        if (r < rows && c < cols) tile[threadIdx.y + k][threadIdx.x] = input[r * cols + c];
    }
    __syncthreads();
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        const int64_t c = c0 + threadIdx.y + k, r = r0 + threadIdx.x;
        if (c < cols && r < rows) output[c * rows + r] = tile[threadIdx.x][threadIdx.y + k];
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (rows == 0 || cols == 0) return;
    const int64_t across = ((int64_t)cols + TILE_DIM - 1) / TILE_DIM;
    const int64_t down = ((int64_t)rows + TILE_DIM - 1) / TILE_DIM;
    transpose_kernel<<<(unsigned)(across * down), dim3(TILE_DIM, BLOCK_ROWS)>>>(input, output, rows, cols, across);
    cudaDeviceSynchronize();
}
