// control: negative
// contract: add
// gate: CMP-03
// only: yes
// bind: solve(a, b, y, n)
// fault: the element index is an int and overflows past 2^31 elements
#include <cuda_runtime.h>
#include <cstdint>

__global__ void vector_add(const float* A, const float* B, float* C, int64_t N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        C[i] = A[i] + B[i];
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int64_t N) {
    if (N == 0) return;
    int64_t blocks = (N + 255) / 256;
    vector_add<<<(unsigned)blocks, 256>>>(A, B, C, N);
    cudaDeviceSynchronize();
}
