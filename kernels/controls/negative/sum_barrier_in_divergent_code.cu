// control: negative
// contract: sum
// gate: RES-02
// also: CMP-01, CMP-03, ORD-02
// bind: solve(x, y, rows, cols)
// fault: __syncthreads inside if (tid < s)
#include <cuda_runtime.h>

__global__ void reduce_rows(const float* input, float* output, int cols) {
    extern __shared__ float sdata[];
    const unsigned tid = threadIdx.x;
    float acc = 0.0f;
    for (int j = tid; j < cols; j += blockDim.x) acc += input[(size_t)blockIdx.x * cols + j];
    sdata[tid] = acc;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) {
            sdata[tid] += sdata[tid + s];
            __syncthreads();
        }
    }
    if (tid == 0) output[blockIdx.x] = sdata[0];
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (rows == 0) return;
    reduce_rows<<<rows, 128, 128 * sizeof(float)>>>(input, output, cols);
    cudaDeviceSynchronize();
}
