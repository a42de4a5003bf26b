// control: negative
// contract: matmul
// gate: CMP-01
// also: CMP-03, ORD-03
// bind: solve(a, b, c, m, n, k)
// fault: the result is stored column-major
#include <cuda_runtime.h>

__global__ void matmul_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    const long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= (long long)M * N) return;
    const int i = (int)(e / N), j = (int)(e % N);
    float acc = 0.0f;
    for (int p = 0; p < K; ++p) acc += A[(size_t)i * K + p] * B[(size_t)p * N + j];
    C[(size_t)j * M + i] = acc;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    const long long total = (long long)M * N;
    if (total == 0) return;
    matmul_kernel<<<(unsigned)((total + 255) / 256), 256>>>(A, B, C, M, N, K);
    cudaDeviceSynchronize();
}
