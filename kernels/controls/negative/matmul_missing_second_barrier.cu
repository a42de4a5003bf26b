// control: negative
// contract: matmul
// gate: ORD-02
// also: CMP-01, CMP-03, ORD-03
// bind: solve(a, b, c, m, n, k)
// fault: no barrier after a tile is used: fast threads overwrite it while slow ones still read
#include <cuda_runtime.h>

#define TILE 16

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    const int across = (N + TILE - 1) / TILE;
    const int row = blockIdx.x / across * TILE + threadIdx.y;
    const int col = blockIdx.x % across * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int t = 0; t < (K + TILE - 1) / TILE; ++t) {
        const int ka = t * TILE + threadIdx.x, kb = t * TILE + threadIdx.y;
        As[threadIdx.y][threadIdx.x] = row < M && ka < K ? A[(size_t)row * K + ka] : 0.0f;
        Bs[threadIdx.y][threadIdx.x] = kb < K && col < N ? B[(size_t)kb * N + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; ++i) sum += As[threadIdx.y][i] * Bs[i][threadIdx.x];
    }
    if (row < M && col < N) C[(size_t)row * N + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M == 0 || N == 0) return;
    const long long blocks = (((long long)M + TILE - 1) / TILE) * (((long long)N + TILE - 1) / TILE);
    matmul_tiled<<<(unsigned)blocks, dim3(TILE, TILE)>>>(A, B, C, M, N, K);
    cudaDeviceSynchronize();
}
