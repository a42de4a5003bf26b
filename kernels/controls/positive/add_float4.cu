// control: positive
// contract: add
// bind: solve(a, b, y, n)
#include <cuda_runtime.h>
#include <cstdint>

__global__ void vector_add(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int64_t N) {
    const int64_t i = 4 * ((int64_t)blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 4 <= N) {
        const float4 a = *reinterpret_cast<const float4*>(A + i);
        const float4 b = *reinterpret_cast<const float4*>(B + i);
        *reinterpret_cast<float4*>(C + i) = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    } else {
        for (int64_t j = i; j < N; ++j) C[j] = A[j] + B[j];
    }
}

// A, B, C are device pointers (i.e. pointers to memory on the GPU)
extern "C" void solve(const float* A, const float* B, float* C, int64_t N) {
    if (N <= 0) return;
    const int threadsPerBlock = 256;
    const int64_t groups = (N + 3) / 4;
    const int64_t blocksPerGrid = (groups + threadsPerBlock - 1) / threadsPerBlock;
    vector_add<<<(unsigned)blocksPerGrid, threadsPerBlock>>>(A, B, C, N);
    cudaDeviceSynchronize();
}
