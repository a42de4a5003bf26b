// contract: matmul_i8 --where "m * n <= 2147483647, m * k <= 2147483647, k * n <= 2147483647"
#include <cuda_runtime.h>
#include <stdint.h>

#define PACK4(a, b, c, d) \
    ((int)((uint32_t)(uint8_t)(a) | (uint32_t)(uint8_t)(b) << 8 | (uint32_t)(uint8_t)(c) << 16 | (uint32_t)(uint8_t)(d) << 24))

__global__ void igemm(const int8_t *A, const int8_t *B, int32_t *C, int M, int N, int K)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= M * N) return;
    const int8_t *a = A + (size_t)(e / N) * K;
    const int8_t *b = B + e % N;
    int acc = 0, p = 0;
    for (; p + 3 < K; p += 4) {
        const int va = PACK4(a[p], a[p + 1], a[p + 2], a[p + 3]);
        const int vb = PACK4(b[(size_t)p * N], b[(size_t)(p + 1) * N], b[(size_t)(p + 2) * N], b[(size_t)(p + 3) * N]);
        acc = __dp4a(va, vb, acc);
    }
    for (; p < K; ++p)
        acc += (int)a[p] * (int)b[(size_t)p * N];
    C[e] = acc;
}

extern "C" void igemm_nn(int8_t *A, int8_t *B, int32_t *C, int M, int N, int K)
{
    if (M > 0 && N > 0) igemm<<<(M * N + 127) / 128, 128>>>(A, B, C, M, N, K);
}
