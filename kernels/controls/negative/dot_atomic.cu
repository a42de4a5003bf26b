// control: negative
// contract: dot
// gate: ORD-02
// fault: blocks add their parts with atomicAdd, so that the order changes from run to run
#include <cuda_runtime.h>
#include <cstdint>

__global__ void dot_kernel(const float* a, const float* b, float* y, int64_t n) {
    float acc = 0.f;
    for (int64_t i = (int64_t)blockIdx.x * 32 + threadIdx.x; i < n; i += (int64_t)gridDim.x * 32)
        acc = fmaf(a[i], b[i], acc);
    for (int o = 16; o > 0; o >>= 1) acc += __shfl_xor_sync(0xffffffffu, acc, o);
    if (threadIdx.x == 0) atomicAdd(y, acc);
}

void dot(const float* a, const float* b, float* y, int64_t n) {
    cudaMemset(y, 0, sizeof(float));
    if (n > 0) dot_kernel<<<16, 32>>>(a, b, y, n);
}
