// contract: softsign
#include <cuda_runtime.h>
#include <stdio.h>

#define THREADS 256
#define GRID(n) ((unsigned int)(((n) + THREADS - 1) / THREADS))
#define LAUNCH(kernel, n, stream, ...)                                    \
    do {                                                                  \
        if ((n) > 0) {                                                    \
            kernel<<<GRID(n), THREADS, 0, (stream)>>>(__VA_ARGS__);       \
            cudaError_t e = cudaGetLastError();                           \
            if (e != cudaSuccess)                                         \
                printf(#kernel " failed: %s\n", cudaGetErrorString(e));   \
        }                                                                 \
    } while (0)

#define DEFINE_UNARY(NAME, EXPR)                                                       \
    __global__ void NAME##_kernel(const float *in, float *out, long long n) {         \
        long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;                \
        if (i < n) {                                                                   \
            float x = in[i];                                                           \
            out[i] = (EXPR);                                                           \
        }                                                                              \
    }

DEFINE_UNARY(softsign, x / (1.0f + fabsf(x)))

extern "C" void softsign_launch(const float *in, float *out, long long n, cudaStream_t stream) {
    LAUNCH(softsign_kernel, n, stream, in, out, n);
}
