// control: negative
// contract: argmax
// gate: RES-02
// only: yes
// bind: solve(x, y, rows, cols)
// fault: the warps' winners are compared with a shared best one after the other, with nothing that makes them take turns
#include <cuda_runtime.h>
#include <cstdint>

#define BLOCK 128

// Does (v, i) come before (w, j)? NaN is the largest, equal values go by index.
__device__ bool better(float v, int i, float w, int j) {
    bool vn = v != v, wn = w != w;
    if (vn || wn) return vn && (!wn || i < j);
    return v > w || (v == w && i < j);
}

__global__ void argmax_kernel(const float* x, int64_t* out, int cols) {
    __shared__ float top;
    __shared__ int top_index;
    const float* row = x + (size_t)blockIdx.x * cols;
    int best = threadIdx.x < cols ? threadIdx.x : 0;
    float bestv = row[best];
    for (int j = best + BLOCK; j < cols; j += BLOCK)
        if (better(row[j], j, bestv, best)) {
            bestv = row[j];
            best = j;
        }
    for (int d = 16; d > 0; d >>= 1) {
        const float v = __shfl_down_sync(0xffffffffu, bestv, d);
        const int i = __shfl_down_sync(0xffffffffu, best, d);
        if (better(v, i, bestv, best)) {
            bestv = v;
            best = i;
        }
    }
    if (threadIdx.x == 0) {
        top = bestv;
        top_index = best;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0 && better(bestv, best, top, top_index)) {
        top = bestv;
        top_index = best;
    }
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = top_index;
}

extern "C" void solve(const float* input, int64_t* output, int rows, int cols) {
    if (rows == 0 || cols == 0) return;
    argmax_kernel<<<rows, BLOCK>>>(input, output, cols);
    cudaDeviceSynchronize();
}
