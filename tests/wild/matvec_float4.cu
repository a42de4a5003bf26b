// contract: matvec
#include <cuda_runtime.h>
#include <cstdint>

#define WARP 32

__device__ __forceinline__ float dot4(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

__device__ __forceinline__ bool aligned16(const void* p) { return (reinterpret_cast<uintptr_t>(p) & 15u) == 0; }

// A warp a row; 128-bit loads where the row and the vector allow them.
__global__ void gemv_kernel(const float* A, const float* x, float* y, int64_t rows, int64_t cols) {
    const int64_t row = blockIdx.x * (int64_t)blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const float* a = A + row * cols;
    float acc = 0.f;
    int64_t done = 0;
    if (aligned16(a) && aligned16(x)) {
        const float4* a4 = reinterpret_cast<const float4*>(a);
        const float4* x4 = reinterpret_cast<const float4*>(x);
        for (int64_t i = threadIdx.x; i < cols / 4; i += WARP) acc += dot4(a4[i], __ldg(&x4[i]));
        done = cols / 4 * 4;
    }
    for (int64_t i = done + threadIdx.x; i < cols; i += WARP) acc += a[i] * x[i];
#pragma unroll
    for (int m = WARP >> 1; m >= 1; m >>= 1) acc += __shfl_xor_sync(0xffffffff, acc, m, WARP);
    if (threadIdx.x == 0) y[row] = acc;
}

void gemv(const float* A, const float* x, float* y, int64_t M, int64_t N, cudaStream_t stream) {
    const dim3 block(WARP, 4);
    if (M > 0) gemv_kernel<<<(unsigned)((M + 3) / 4), block, 0, stream>>>(A, x, y, M, N);
}
