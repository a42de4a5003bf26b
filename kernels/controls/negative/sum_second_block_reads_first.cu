// control: negative
// contract: sum
// gate: RES-02
// also: ORD-02
// bind: solve(x, y, rows, cols)
// fault: two blocks share a row, and the second one adds what the first one left in global memory, if it has
#include <cuda_runtime.h>

#define THREADS 64

__global__ void sum_kernel(const float* x, float* y, float* parts, int cols) {
    __shared__ float s[THREADS];
    const int row = blockIdx.x / 2, half = blockIdx.x % 2;
    const int middle = cols / 2, from = half ? middle : 0, to = half ? cols : middle;
    float acc = 0.0f;
    for (int j = from + threadIdx.x; j < to; j += THREADS) acc += x[(size_t)row * cols + j];
    s[threadIdx.x] = acc;
    __syncthreads();
    for (int k = THREADS / 2; k > 0; k >>= 1) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x != 0) return;
    if (half == 0)
        parts[row] = s[0];
    else
        y[row] = parts[row] + s[0];
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (rows == 0) return;
    float* parts;
    cudaMalloc(&parts, rows * sizeof(float));
    sum_kernel<<<2 * rows, THREADS>>>(input, output, parts, cols);
    cudaFree(parts);
}
