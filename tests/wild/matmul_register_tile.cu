// contract: matmul --where "m * n <= 2147483647, m * k <= 2147483647, k * n <= 2147483647"
// 2D block tiling: each thread computes TM x TN elements out of registers.
#include <cuda_runtime.h>

#define CEIL_DIV(M, N) (((M) + (N) - 1) / (N))
#define OFFSET(row, col, ld) ((row) * (ld) + (col))

template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void __launch_bounds__((BM * BN) / (TM * TN), 1)
    sgemm_blocktiling_2d(int M, int N, int K, const float* __restrict__ A, const float* __restrict__ B,
                         float* __restrict__ C) {
  const int tilesN = CEIL_DIV(N, BN);
  const int cRow = blockIdx.x / tilesN, cCol = blockIdx.x % tilesN;
  constexpr int kThreads = (BM * BN) / (TM * TN);
  const int threadCol = threadIdx.x % (BN / TN);
  const int threadRow = threadIdx.x / (BN / TN);

  __shared__ float As[BK][BM + 1];  // transposed
  __shared__ float Bs[BK][BN];

  float threadResults[TM * TN] = {0.0f};
  float regM[TM], regN[TN];

  for (int bkIdx = 0; bkIdx < K; bkIdx += BK) {
    for (int i = threadIdx.x; i < BM * BK; i += kThreads) {
      const int r = i / BK, c = i % BK;
      const int gr = cRow * BM + r, gc = bkIdx + c;
      As[c][r] = gr < M && gc < K ? A[OFFSET(gr, gc, K)] : 0.0f;
    }
    for (int i = threadIdx.x; i < BK * BN; i += kThreads) {
      const int r = i / BN, c = i % BN;
      const int gr = bkIdx + r, gc = cCol * BN + c;
      Bs[r][c] = gr < K && gc < N ? B[OFFSET(gr, gc, N)] : 0.0f;
    }
    __syncthreads();
    for (int dotIdx = 0; dotIdx < BK; ++dotIdx) {
#pragma unroll
      for (int i = 0; i < TM; ++i) regM[i] = As[dotIdx][threadRow * TM + i];
#pragma unroll
      for (int i = 0; i < TN; ++i) regN[i] = Bs[dotIdx][threadCol * TN + i];
#pragma unroll
      for (int m = 0; m < TM; ++m)
#pragma unroll
        for (int n = 0; n < TN; ++n) threadResults[m * TN + n] += regM[m] * regN[n];
    }
    __syncthreads();
  }
#pragma unroll
  for (int m = 0; m < TM; ++m)
#pragma unroll
    for (int n = 0; n < TN; ++n) {
      const int row = cRow * BM + threadRow * TM + m, col = cCol * BN + threadCol * TN + n;
      if (row < M && col < N) C[OFFSET(row, col, N)] = threadResults[m * TN + n];
    }
}

void run_sgemm(int M, int N, int K, float* A, float* B, float* C) {
  constexpr unsigned BM = 32, BN = 32, BK = 8, TM = 4, TN = 4;
  if (M == 0 || N == 0) return;
  sgemm_blocktiling_2d<BM, BN, BK, TM, TN>
      <<<dim3(CEIL_DIV(M, BM) * CEIL_DIV(N, BN)), dim3((BM * BN) / (TM * TN))>>>(M, N, K, A, B, C);
}
