// control: negative
// contract: cumsum
// gate: RES-01
// bind: solve(x, y, rows, cols)
// fault: the next element is prefetched before the bound is checked, one past the end in the last row
#include <cuda_runtime.h>
#include <cstdint>

__global__ void cumsum_prefetch(const float* x, float* y, int64_t rows, int64_t cols) {
    const int64_t r = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    const float* in = x + r * cols;
    float* out = y + r * cols;
    float running = 0.0f;
    float next = in[0];
    for (int64_t j = 0; j < cols; ++j) {
        const float v = next;
        next = in[j + 1];  // hides the latency of the load
        running += v;
        out[j] = running;
    }
}

extern "C" void solve(const float* input, float* output, int64_t rows, int64_t cols) {
    if (rows == 0 || cols == 0) return;
    cumsum_prefetch<<<(unsigned)((rows + 63) / 64), 64>>>(input, output, rows, cols);
    cudaDeviceSynchronize();
}
