// contract: matmul_ta
#include <cuda_runtime.h>

struct Matrix {
    const float* data;
    size_t rows, cols;
    __device__ float operator()(size_t r, size_t c) const { return data[r * cols + c]; }
};

__global__ void gemm_tn(Matrix a, Matrix b, float* c) {
    const size_t i = blockIdx.x, m = a.cols, n = b.cols;
    for (size_t j = threadIdx.x; j < n; j += blockDim.x) {
        float acc = 0.f;
        for (size_t p = 0; p < a.rows; ++p) acc += a(p, i) * b(p, j);
        if (i < m) c[i * n + j] = acc;
    }
}

void gemm_tn(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {
    if (m == 0 || n == 0) return;
    const Matrix ma{a, k, m}, mb{b, k, n};
    gemm_tn<<<static_cast<unsigned>(m), 64>>>(ma, mb, c);
}
