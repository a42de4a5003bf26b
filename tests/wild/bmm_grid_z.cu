// contract: bmm --where "bs <= 65535, m <= 1000000, n <= 1000000"
#include <cuda_runtime.h>

#define BLK 8

__global__ void bmmKernel(const float *A, const float *B, float *C, int batch, int M, int N, int K)
{
    const int b = blockIdx.z;
    const int i = blockIdx.y * BLK + threadIdx.y;
    const int j = blockIdx.x * BLK + threadIdx.x;
    __shared__ float sA[BLK][BLK + 1], sB[BLK][BLK + 1];
    A += (size_t)b * M * K;
    B += (size_t)b * K * N;
    C += (size_t)b * M * N;
    float sum = 0.0f;
    for (int t = 0; t < K; t += BLK) {
        sA[threadIdx.y][threadIdx.x] = (i < M && t + threadIdx.x < K) ? A[(size_t)i * K + t + threadIdx.x] : 0.0f;
        sB[threadIdx.y][threadIdx.x] = (j < N && t + threadIdx.y < K) ? B[(size_t)(t + threadIdx.y) * N + j] : 0.0f;
        __syncthreads();
        #pragma unroll
        for (int p = 0; p < BLK; p++)
            sum += sA[threadIdx.y][p] * sB[p][threadIdx.x];
        __syncthreads();
    }
    if (i < M && j < N)
        C[(size_t)i * N + j] = sum;
}

extern "C" void solve(const float *A, const float *B, float *C, int BATCH, int M, int N, int K)
{
    if (BATCH == 0 || M == 0 || N == 0) return;
    dim3 block(BLK, BLK);
    dim3 grid((N + BLK - 1) / BLK, (M + BLK - 1) / BLK, BATCH);
    bmmKernel<<<grid, block>>>(A, B, C, BATCH, M, N, K);
}
