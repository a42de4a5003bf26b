// contract: sum_dim0
#include <cuda_runtime.h>
#include <cstdint>

constexpr int TILE_ROWS = 64;

// First pass: TILE_ROWS rows a block; second pass: the partial rows, in order.
__global__ void column_partials(const float* __restrict__ x, float* __restrict__ part, int64_t rows, int64_t cols,
                                int64_t col_blocks) {
    const int64_t c = blockIdx.x % col_blocks * blockDim.x + threadIdx.x;
    const int64_t tile = blockIdx.x / col_blocks;
    if (c >= cols) return;
    float acc = 0.f;
    const int64_t end = min(rows, (tile + 1) * (int64_t)TILE_ROWS);
    for (int64_t r = tile * TILE_ROWS; r < end; ++r) acc += x[r * cols + c];
    part[tile * cols + c] = acc;
}

__global__ void column_total(const float* __restrict__ part, float* __restrict__ y, int64_t tiles, int64_t cols) {
    const int64_t c = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    float acc = 0.f;
#pragma unroll 4
    for (int64_t t = 0; t < tiles; ++t) acc += part[t * cols + c];
    y[c] = acc;
}

void column_sum(const float* input, float* output, int64_t rows, int64_t cols, cudaStream_t stream) {
    if (cols == 0) return;
    const int64_t tiles = (rows + TILE_ROWS - 1) / TILE_ROWS;
    const int64_t col_blocks = (cols + 127) / 128;
    if (tiles == 0) {
        cudaMemsetAsync(output, 0, cols * sizeof(float), stream);
        return;
    }
    float* part = nullptr;
    cudaMallocAsync(&part, tiles * cols * sizeof(float), stream);
    column_partials<<<tiles * col_blocks, 128, 0, stream>>>(input, part, rows, cols, col_blocks);
    column_total<<<col_blocks, 128, 0, stream>>>(part, output, tiles, cols);
    cudaFreeAsync(part, stream);
}
