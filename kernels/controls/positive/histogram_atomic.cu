// control: positive
// contract: histogram
#include <cuda_runtime.h>
#include <cstdint>

// Atomic sums of integers are exact in any order.
__global__ void histogram_kernel(const int64_t* __restrict__ idx, unsigned long long* y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(y + idx[i], 1ull);
}

void histogram(const int64_t* idx, int64_t* y, int64_t n, int64_t bins) {
    if (bins > 0) cudaMemset(y, 0, bins * sizeof(int64_t));
    if (n > 0)
        histogram_kernel<<<(unsigned)((n + 127) / 128), 128>>>(idx, reinterpret_cast<unsigned long long*>(y), n);
}
