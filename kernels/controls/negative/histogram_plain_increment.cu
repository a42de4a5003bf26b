// control: negative
// contract: histogram
// gate: RES-02
// only: yes
// fault: the counts are raised without atomics: of two threads that meet at one bin, one may count for nothing
#include <cuda_runtime.h>
#include <cstdint>

__global__ void histogram_kernel(const int64_t* __restrict__ idx, int64_t* y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[idx[i]] += 1;
}

void histogram(const int64_t* idx, int64_t* y, int64_t n, int64_t bins) {
    if (bins > 0) cudaMemset(y, 0, bins * sizeof(int64_t));
    if (n > 0) histogram_kernel<<<(unsigned)((n + 127) / 128), 128>>>(idx, y, n);
}
