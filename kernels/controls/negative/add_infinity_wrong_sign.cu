// control: negative
// contract: add
// gate: EXC-01
// only: yes
// bind: solve(a, b, y, n)
// fault: an infinite sum takes the sign of a, which is wrong where b is the infinite one
#include <cuda_runtime.h>
#include <cstdint>
#include <math.h>

__global__ void add_kernel(const float* a, const float* b, float* c, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float s = a[i] + b[i];
        // Overflow saturates to an infinity of the operands' sign.
        if (isinf(s)) s = copysignf(INFINITY, a[i]);
        c[i] = s;
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int64_t N) {
    if (N == 0) return;
    add_kernel<<<(unsigned)((N + 127) / 128), 128>>>(A, B, C, N);
    cudaDeviceSynchronize();
}
