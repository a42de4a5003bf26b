// control: negative
// contract: scatter_add
// gate: CMP-01
// also: CMP-03, ORD-01, ORD-03
// fault: the sums are read and written without atomics: of two additions to one place one is lost
#include <cuda_runtime.h>
#include <cstdint>

__global__ void scatter_kernel(const int64_t* idx, const float* src, float* y, int64_t total, int64_t cols,
                               int64_t k) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const bool mine = e < total;
    const int64_t at = mine ? e / k * cols + idx[e] : 0;
    const float before = mine ? y[at] : 0.f;
    __syncthreads();
    if (mine) y[at] = before + src[e];
}

void scatter_add(const float* x, const int64_t* idx, const float* src, float* y, int64_t rows, int64_t cols,
                 int64_t k) {
    if (rows * cols > 0) cudaMemcpy(y, x, rows * cols * sizeof(float), cudaMemcpyDeviceToDevice);
    if (rows * k > 0) scatter_kernel<<<(unsigned)((rows * k + 63) / 64), 64>>>(idx, src, y, rows * k, cols, k);
}
