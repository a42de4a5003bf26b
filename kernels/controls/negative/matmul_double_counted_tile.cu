// control: negative
// contract: matmul
// gate: CMP-01
// also: CMP-03, ORD-01, ORD-03
// bind: solve(a, b, c, m, n, k)
// fault: k / 16 + 1 tiles, the last one moved back inside the matrix: its products count twice
#include <cuda_runtime.h>

#define T 16

__global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                     int K) {
    const int across = (N + T - 1) / T;
    const int row = blockIdx.x / across * T + threadIdx.y;
    const int col = blockIdx.x % across * T + threadIdx.x;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int t = 0; t <= K / T; ++t) {
        int begin = t * T;
        if (begin + T > K) begin = K > T ? K - T : 0;  // stay inside
        for (int p = begin; p < begin + T && p < K; ++p) acc += A[(size_t)row * K + p] * B[(size_t)p * N + col];
    }
    C[(size_t)row * N + col] = acc;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M == 0 || N == 0) return;
    const long long blocks = (((long long)M + T - 1) / T) * (((long long)N + T - 1) / T);
    gemm<<<(unsigned)blocks, dim3(T, T)>>>(A, B, C, M, N, K);
    cudaDeviceSynchronize();
}
