// contract: matmul
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

using namespace nvcuda;

constexpr int WMMA_M = 16, WMMA_N = 16, WMMA_K = 16;

__device__ __forceinline__ void load_tile(half* tile, const half* src, long row0, long col0, long rows, long cols) {
    for (int i = threadIdx.x; i < 256; i += 32) {
        const long r = row0 + i / 16, c = col0 + i % 16;
        tile[i] = r < rows && c < cols ? src[r * cols + c] : __float2half(0.0f);
    }
}

// A warp a 16 x 16 tile of the result; operands go through shared memory, so that any extent will do.
__global__ void wmma_gemm(const half* a, const half* b, half* c, long M, long N, long K) {
    __shared__ half as[WMMA_M * WMMA_K];
    __shared__ half bs[WMMA_K * WMMA_N];
    __shared__ float stage[WMMA_M * WMMA_N];
    const long tiles_n = (N + WMMA_N - 1) / WMMA_N;
    const long row0 = blockIdx.x / tiles_n * WMMA_M, col0 = blockIdx.x % tiles_n * WMMA_N;

    wmma::fragment<wmma::matrix_a, WMMA_M, WMMA_N, WMMA_K, half, wmma::row_major> a_frag;
    wmma::fragment<wmma::matrix_b, WMMA_M, WMMA_N, WMMA_K, half, wmma::row_major> b_frag;
    wmma::fragment<wmma::accumulator, WMMA_M, WMMA_N, WMMA_K, float> acc;
    wmma::fill_fragment(acc, 0.0f);
    for (long k = 0; k < K; k += WMMA_K) {
        load_tile(as, a, row0, k, M, K);
        load_tile(bs, b, k, col0, K, N);
        __syncwarp();
        wmma::load_matrix_sync(a_frag, as, WMMA_K);
        wmma::load_matrix_sync(b_frag, bs, WMMA_N);
        wmma::mma_sync(acc, a_frag, b_frag, acc);
        __syncwarp();
    }
    wmma::store_matrix_sync(stage, acc, WMMA_N, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x; i < WMMA_M * WMMA_N; i += 32) {
        const long r = row0 + i / WMMA_N, n = col0 + i % WMMA_N;
        if (r < M && n < N) c[r * N + n] = __float2half(stage[i]);
    }
}

extern "C" void hgemm(const half* a, const half* b, half* c, long M, long N, long K, cudaStream_t stream) {
    const long tiles = ((M + WMMA_M - 1) / WMMA_M) * ((N + WMMA_N - 1) / WMMA_N);
    if (tiles > 0) wmma_gemm<<<tiles, 32, 0, stream>>>(a, b, c, M, N, K);
}
