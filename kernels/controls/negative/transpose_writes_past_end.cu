// control: negative
// contract: transpose
// gate: RES-01
// also: CMP-03, ORD-02
// bind: solve(x, y, m, n)
// fault: the tile is stored without a mask: partial tiles write into other rows and past the end
#include <cuda_runtime.h>
#include <cstdint>

#define TILE 16

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols, int across) {
    __shared__ float tile[TILE][TILE + 1];
    const int r = blockIdx.x / across * TILE + threadIdx.y;
    const int c = blockIdx.x % across * TILE + threadIdx.x;
    if (r < rows && c < cols) tile[threadIdx.y][threadIdx.x] = in[(size_t)r * cols + c];
    __syncthreads();
    const int to_row = blockIdx.x % across * TILE + threadIdx.y;
    const int to_col = blockIdx.x / across * TILE + threadIdx.x;
    if (to_row < cols) out[(size_t)to_row * rows + to_col] = tile[threadIdx.x][threadIdx.y];
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (rows == 0 || cols == 0) return;
    const int across = (cols + TILE - 1) / TILE, down = (rows + TILE - 1) / TILE;
    transpose_kernel<<<across * down, dim3(TILE, TILE)>>>(input, output, rows, cols, across);
    cudaDeviceSynchronize();
}
