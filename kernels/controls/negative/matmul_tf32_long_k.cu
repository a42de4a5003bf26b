// control: negative
// contract: matmul
// gate: PRC-02
// only: yes
// bind: solve(a, b, c, m, n, k)
// fault: for long k the operands are rounded to TF32, as tensor cores do, without the contract allowing it
#include <cuda_runtime.h>
#include <math.h>

#define TILE 16

// Nearest even to the 10 explicit mantissa bits of TF32; NaN and Inf stay.
__device__ __forceinline__ float to_tf32(float v) {
    unsigned u = __float_as_uint(v);
    if ((u & 0x7f800000u) == 0x7f800000u) return v;
    u += 0xfffu + ((u >> 13) & 1u);
    return __uint_as_float(u & 0xffffe000u);
}

__global__ void matmul_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    const int tiles_n = (N + TILE - 1) / TILE;
    const int row = blockIdx.x / tiles_n * TILE + threadIdx.y;
    const int col = blockIdx.x % tiles_n * TILE + threadIdx.x;
    if (row >= M || col >= N) return;
    const float* a = A + (size_t)row * K;
    const float* b = B + col;

    // Where the tensor cores pay, and only for values that are safe in a narrow format.
    bool narrow = K >= 2048;
    for (int p = 0; narrow && p < K; ++p) narrow = fabsf(a[p]) < 65536.0f && fabsf(b[(size_t)p * N]) < 65536.0f;

    float acc = 0.0f;
    for (int p = 0; p < K; ++p) {
        const float x = a[p], y = b[(size_t)p * N];
        acc += narrow ? to_tf32(x) * to_tf32(y) : x * y;
    }
    C[(size_t)row * N + col] = acc;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M == 0 || N == 0) return;
    const long long tiles = (((long long)M + TILE - 1) / TILE) * (((long long)N + TILE - 1) / TILE);
    matmul_kernel<<<(unsigned)tiles, dim3(TILE, TILE)>>>(A, B, C, M, N, K);
    cudaDeviceSynchronize();
}
