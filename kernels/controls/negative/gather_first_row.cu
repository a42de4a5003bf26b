// control: negative
// contract: gather
// gate: CMP-01
// also: CMP-03, EXC-01, EXC-02
// fault: the row's offset is forgotten: all rows pick from the first
#include <cuda_runtime.h>
#include <cstdint>

__global__ void gather_kernel(const float* x, const int64_t* idx, float* y, int64_t total) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e < total) y[e] = x[idx[e]];
}

void gather(const float* x, const int64_t* idx, float* y, int64_t rows, int64_t cols, int64_t k) {
    (void)cols;
    if (rows * k > 0) gather_kernel<<<(unsigned)((rows * k + 127) / 128), 128>>>(x, idx, y, rows * k);
}
