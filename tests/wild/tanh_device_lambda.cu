// contract: tanh
#include <cuda_runtime.h>
#include <math.h>

template <int UNROLL, typename F>
__device__ __forceinline__ void for_each_strided(size_t n, F&& f) {
    const size_t tid = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t stride = (size_t)blockDim.x * gridDim.x;
    for (size_t base = tid; base < n; base += stride * UNROLL) {
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            const size_t i = base + u * stride;
            if (i < n) f(i);
        }
    }
}

__global__ void tanh_kernel(const float* __restrict__ x, float* __restrict__ y, size_t n) {
    for_each_strided<4>(n, [=](size_t i) { y[i] = tanhf(x[i]); });
}

extern "C" int tanh_forward(const float* x, float* y, size_t n) {
    if (!n) return 0;
    const unsigned threads = 128;
    size_t blocks = (n + threads * 4 - 1) / (threads * 4);
    if (blocks > 1024) blocks = 1024;
    tanh_kernel<<<(unsigned)blocks, threads>>>(x, y, n);
    return (int)cudaGetLastError();
}
