// control: negative
// contract: matmul_i8_rowwise
// gate: CMP-01
// also: CMP-03, EXC-01, EXC-02, PRC-01, PRC-02, ORD-01, ORD-03
// fault: the scales of the columns go by row
#include <cuda_runtime.h>
#include <cstdint>

__global__ void rowwise_kernel(const int8_t* a, const int8_t* b, const float* sa, const float* sb, float* y, int64_t m,
                               int64_t n, int64_t k) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m * n) return;
    const int64_t i = e / n, j = e % n;
    int acc = 0;
    for (int64_t p = 0; p < k; ++p) acc += a[i * k + p] * b[j * k + p];
    y[e] = (float)acc * sa[i] * sb[i % n];
}

void rowwise(const int8_t* a, const int8_t* b, const float* sa, const float* sb, float* y, int64_t m, int64_t n,
             int64_t k) {
    if (m * n > 0) rowwise_kernel<<<(unsigned)((m * n + 127) / 128), 128>>>(a, b, sa, sb, y, m, n, k);
}
