// control: negative
// contract: matmul
// gate: CMP-03
// also: ORD-03
// bind: solve(a, b, c, m, n, k)
// fault: k / 16 tiles instead of ceil(k / 16): the products of the last, partial tile are dropped
#include <cuda_runtime.h>

#define TILE_SIZE 16

__global__ void matmul_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float tileA[TILE_SIZE][TILE_SIZE];
    __shared__ float tileB[TILE_SIZE][TILE_SIZE];
    const int across = (N + TILE_SIZE - 1) / TILE_SIZE;
    const int row = blockIdx.x / across * TILE_SIZE + threadIdx.y;
    const int col = blockIdx.x % across * TILE_SIZE + threadIdx.x;
    float value = 0.0f;
    const int tiles = K < TILE_SIZE ? 1 : K / TILE_SIZE;
    for (int t = 0; t < tiles; ++t) {
        const int ka = t * TILE_SIZE + threadIdx.x, kb = t * TILE_SIZE + threadIdx.y;
        tileA[threadIdx.y][threadIdx.x] = row < M && ka < K ? A[(size_t)row * K + ka] : 0.0f;
        tileB[threadIdx.y][threadIdx.x] = kb < K && col < N ? B[(size_t)kb * N + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE_SIZE; ++i) value += tileA[threadIdx.y][i] * tileB[i][threadIdx.x];
        __syncthreads();
    }
    if (row < M && col < N) C[(size_t)row * N + col] = value;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M == 0 || N == 0) return;
    const long long blocks =
        (((long long)M + TILE_SIZE - 1) / TILE_SIZE) * (((long long)N + TILE_SIZE - 1) / TILE_SIZE);
    matmul_kernel<<<(unsigned)blocks, dim3(TILE_SIZE, TILE_SIZE)>>>(A, B, C, M, N, K);
    cudaDeviceSynchronize();
}
