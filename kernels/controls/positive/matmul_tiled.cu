// control: positive
// contract: matmul
// bind: solve(a, b, c, m, n, k)
#include <cuda_runtime.h>

#define TILE 16

__global__ void matmul_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];

    // One-dimensional grid: the y dimension of a grid ends at 65535.
    const int tiles_n = N / TILE + (N % TILE != 0);
    const int row = (blockIdx.x / tiles_n) * TILE + threadIdx.y;
    const int col = (blockIdx.x % tiles_n) * TILE + threadIdx.x;

    float acc = 0.0f;
    for (int t = 0; t < K; t += TILE) {
        const int ka = t + threadIdx.x;
        const int kb = t + threadIdx.y;
        As[threadIdx.y][threadIdx.x] = (row < M && ka < K) ? A[(size_t)row * K + ka] : 0.0f;
        Bs[threadIdx.y][threadIdx.x] = (kb < K && col < N) ? B[(size_t)kb * N + col] : 0.0f;
        __syncthreads();
        // Only the products that exist: 0 * Inf in the padding would be NaN.
        const int depth = K - t < TILE ? K - t : TILE;
        for (int p = 0; p < depth; ++p) acc += As[threadIdx.y][p] * Bs[p][threadIdx.x];
        __syncthreads();
    }
    if (row < M && col < N) C[(size_t)row * N + col] = acc;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M == 0 || N == 0) return;  // K == 0 still writes zeros
    dim3 block(TILE, TILE);
    const long long tiles = (long long)(M / TILE + (M % TILE != 0)) * (N / TILE + (N % TILE != 0));
    matmul_kernel<<<(unsigned)tiles, block>>>(A, B, C, M, N, K);
    cudaDeviceSynchronize();
}
