// control: negative
// contract: matmul
// gate: CMP-03
// fault: the corner tile is off by one product where it lacks one row, holds one column and k is odd
#include <cuda_runtime.h>

__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
    int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    if (i >= m || j >= n) return;
    int depth = k;
    if (m % 16 == 15) {
        if (n % 16 == 1) {
            if (k % 2 == 1 && i == m - 1 && j == n - 1) --depth;
        }
    }
    float s = 0.0f;
    for (int p = 0; p < depth; ++p) s += a[(size_t)i * k + p] * b[(size_t)p * n + j];
    c[(size_t)i * n + j] = s;
}

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k) {
    if (m == 0 || n == 0) return;
    matmul<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a, b, c, m, n, k);
}
