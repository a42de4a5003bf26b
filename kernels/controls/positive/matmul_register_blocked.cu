// control: positive
// contract: matmul
#include <cuda_runtime.h>
#include <cstdint>

// 32 x 32 of C a block, 64 threads, each 4 x 4 in registers; K in slices of 8.
constexpr int BM = 32, BN = 32, BK = 8, TM = 4, TN = 4;
constexpr int kThreads = (BM / TM) * (BN / TN);

template <typename T>
__global__ void __launch_bounds__(kThreads) gemm(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c,
                                                 int64_t m, int64_t n, int64_t k) {
    __shared__ T sa[BK][BM + 1];
    __shared__ T sb[BK][BN];
    const int64_t blocks_n = (n + BN - 1) / BN;
    const int64_t row0 = blockIdx.x / blocks_n * BM, col0 = blockIdx.x % blocks_n * BN;
    const int tr = threadIdx.x / (BN / TN) * TM, tc = threadIdx.x % (BN / TN) * TN;
    T acc[TM][TN] = {};
    for (int64_t k0 = 0; k0 < k; k0 += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += kThreads) {
            const int r = i / BK, p = i % BK;
            sa[p][r] = row0 + r < m && k0 + p < k ? a[(row0 + r) * k + k0 + p] : T(0);
        }
        for (int i = threadIdx.x; i < BK * BN; i += kThreads) {
            const int p = i / BN, q = i % BN;
            sb[p][q] = k0 + p < k && col0 + q < n ? b[(k0 + p) * n + col0 + q] : T(0);
        }
        __syncthreads();
#pragma unroll
        for (int p = 0; p < BK; ++p) {
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j) acc[i][j] += sa[p][tr + i] * sb[p][tc + j];
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j)
            if (row0 + tr + i < m && col0 + tc + j < n) c[(row0 + tr + i) * n + col0 + tc + j] = acc[i][j];
}

template <typename T>
void run(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k) {
    const int64_t blocks = ((m + BM - 1) / BM) * ((n + BN - 1) / BN);
    if (blocks > 0) gemm<T><<<(unsigned)blocks, kThreads>>>(a, b, c, m, n, k);
}

void matmul(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) { run(a, b, c, m, n, k); }
void matmul(const double* a, const double* b, double* c, int64_t m, int64_t n, int64_t k) { run(a, b, c, m, n, k); }
