// contract: gelu_backward
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

#ifndef CHECK
#define CHECK(call) check((call), #call, __FILE__, __LINE__)
#endif

inline void check(cudaError_t err, char const* const func, char const* const file, int const line) {
    if (err != cudaSuccess) {
        fprintf(stderr, "CUDA runtime error at: %s:%d\n%s %s\n", file, line, cudaGetErrorString(err), func);
        std::exit(EXIT_FAILURE);
    }
}

__managed__ long g_blocks_done = 0;

__global__ void gelu_backward_kernel(const float* x, const float* dy, float* dx, long n) {
    const float kAlpha = 0.70710678118654752440f, kBeta = 0.39894228040143267794f;
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x) {
        const float v = x[i];
        const float cdf = 0.5f * (1.0f + erff(v * kAlpha));
        const float pdf = kBeta * expf(-0.5f * v * v);
        dx[i] = dy[i] * (cdf + v * pdf);
    }
}

void gelu_backward(const float* x, const float* dy, float* dx, long n) {
    if (n == 0) return;
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    const long most = prop.multiProcessorCount * 4L;
    const long wanted = (n + 255) / 256;
    CHECK(cudaEventRecord(start));
    gelu_backward_kernel<<<wanted < most ? wanted : most, 256>>>(x, dy, dx, n);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    float ms = 0.0f;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    g_blocks_done += wanted;
    if (getenv("GELU_VERBOSE")) printf("%ld elements in %.3f ms\n", n, ms);
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
}
