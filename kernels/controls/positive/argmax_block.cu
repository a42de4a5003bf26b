// control: positive
// contract: argmax
// bind: solve(x, y, rows, cols)
#include <cuda_runtime.h>
#include <cstdint>

#define BLOCK 128

// Does (v, i) come before (w, j)? NaN is the largest, equal values go by index.
__device__ bool better(float v, int i, float w, int j) {
    bool vn = v != v, wn = w != w;
    if (vn || wn) return vn && (!wn || i < j);
    return v > w || (v == w && i < j);
}

__global__ void argmax_kernel(const float* x, int64_t* out, int rows, int cols) {
    __shared__ float vals[BLOCK];
    __shared__ int idxs[BLOCK];
    const float* row = x + (size_t)blockIdx.x * cols;
    int tid = threadIdx.x;
    // Threads beyond the row start on its first element: harmless, it is a candidate anyway.
    int best = tid < cols ? tid : 0;
    float bestv = row[best];
    for (int j = tid + BLOCK; j < cols; j += BLOCK) {
        if (better(row[j], j, bestv, best)) {
            bestv = row[j];
            best = j;
        }
    }
    vals[tid] = bestv;
    idxs[tid] = best;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s >>= 1) {
        if (tid < s && better(vals[tid + s], idxs[tid + s], vals[tid], idxs[tid])) {
            vals[tid] = vals[tid + s];
            idxs[tid] = idxs[tid + s];
        }
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = idxs[0];
}

extern "C" void solve(const float* input, int64_t* output, int rows, int cols) {
    if (rows == 0 || cols == 0) return;
    argmax_kernel<<<rows, BLOCK>>>(input, output, rows, cols);
    cudaDeviceSynchronize();
}
