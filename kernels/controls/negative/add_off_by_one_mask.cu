// control: negative
// contract: add
// gate: CMP-01
// also: CMP-03, EXC-01, RES-01
// bind: solve(a, b, y, n)
// fault: the mask is i < n - 1
#include <cuda_runtime.h>
#include <cstdint>

__global__ void vector_add(const float* A, const float* B, float* C, int64_t N) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N - 1) {
        C[i] = A[i] + B[i];
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int64_t N) {
    if (N == 0) return;
    int threadsPerBlock = 256;
    int64_t blocksPerGrid = (N + threadsPerBlock - 1) / threadsPerBlock;
    vector_add<<<(unsigned)blocksPerGrid, threadsPerBlock>>>(A, B, C, N);
    cudaDeviceSynchronize();
}
