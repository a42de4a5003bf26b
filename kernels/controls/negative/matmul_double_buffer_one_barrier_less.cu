// control: negative
// contract: matmul
// gate: RES-02
// also: ORD-02, CMP-01, CMP-03, ORD-03
// bind: solve(a, b, c, m, n, k)
// fault: of two buffers in turn, the next one is filled without a barrier after it was used two tiles before
#include <cuda_runtime.h>

#define TILE 8

__global__ void matmul_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float As[2][TILE][TILE];
    __shared__ float Bs[2][TILE][TILE];
    const int across = (N + TILE - 1) / TILE;
    const int row = blockIdx.x / across * TILE + threadIdx.y;
    const int col = blockIdx.x % across * TILE + threadIdx.x;
    const int tiles = (K + TILE - 1) / TILE;
    float sum = 0.0f;
    for (int t = 0; t <= tiles; ++t) {
        const int next = t & 1;
        if (t < tiles) {
            const int ka = t * TILE + threadIdx.x, kb = t * TILE + threadIdx.y;
            As[next][threadIdx.y][threadIdx.x] = row < M && ka < K ? A[(size_t)row * K + ka] : 0.0f;
            Bs[next][threadIdx.y][threadIdx.x] = kb < K && col < N ? B[(size_t)kb * N + col] : 0.0f;
        }
        if (t % 2 == 0) __syncthreads();  // for both tiles of a round, it was thought
        if (t > 0)
            for (int i = 0; i < TILE; ++i) sum += As[1 - next][threadIdx.y][i] * Bs[1 - next][i][threadIdx.x];
    }
    if (row < M && col < N) C[(size_t)row * N + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M == 0 || N == 0) return;
    const long long blocks = (((long long)M + TILE - 1) / TILE) * (((long long)N + TILE - 1) / TILE);
    matmul_kernel<<<(unsigned)blocks, dim3(TILE, TILE)>>>(A, B, C, M, N, K);
    cudaDeviceSynchronize();
}
