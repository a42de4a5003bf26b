// control: positive
// contract: sum
// bind: solve(x, y, rows, cols)
#include <cuda_runtime.h>

#define THREADS 128

// One block a row: strided partial sums, then a tree in shared memory.
__global__ void row_sum(const float* input, float* output, int rows, int cols) {
    __shared__ float sdata[THREADS];
    const int row = blockIdx.x;
    const int tid = threadIdx.x;
    const float* x = input + (size_t)row * cols;

    float acc = 0.0f;
    for (int j = tid; j < cols; j += THREADS) acc += x[j];
    sdata[tid] = acc;
    __syncthreads();

    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (tid < s) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) output[row] = sdata[0];
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (rows == 0) return;  // cols == 0 still writes zeros
    row_sum<<<rows, THREADS>>>(input, output, rows, cols);
    cudaDeviceSynchronize();
}
