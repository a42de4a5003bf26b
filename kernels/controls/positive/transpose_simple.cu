// control: positive
// contract: transpose
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>

// One thread an output element: writes are coalesced, reads go through the read-only cache.
template <typename T>
__global__ void transpose_elements(const T* __restrict__ x, T* __restrict__ y, int64_t m, int64_t n) {
    const int64_t total = m * n;
    for (int64_t o = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; o < total; o += (int64_t)gridDim.x * blockDim.x) {
        const int64_t j = o / m, i = o - j * m;
        y[o] = x[i * n + j];
    }
}

template <typename T>
static void launch_transpose(const T* x, T* y, int64_t m, int64_t n) {
    const int64_t blocks = (m * n + 255) / 256;
    if (blocks > 0) transpose_elements<<<(unsigned)(blocks < 1048576 ? blocks : 1048576), 256>>>(x, y, m, n);
}

void transpose(const float* x, float* y, int64_t m, int64_t n) { launch_transpose(x, y, m, n); }
void transpose(const double* x, double* y, int64_t m, int64_t n) { launch_transpose(x, y, m, n); }
void transpose(const __half* x, __half* y, int64_t m, int64_t n) { launch_transpose(x, y, m, n); }
