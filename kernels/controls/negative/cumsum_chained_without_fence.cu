// control: negative
// contract: cumsum
// gate: RES-02
// only: yes
// bind: solve(x, y, rows, cols)
// fault: a block that waits for the flag of the one before it reads its sum, which no __threadfence put before the flag
#include <cuda_runtime.h>

#define THREADS 32
#define SEGMENT 64  // columns of a row that a block scans

__global__ void cumsum_kernel(const float* x, float* y, float* sums, volatile int* flags, int* ticket, int cols,
                              int segments) {
    __shared__ int turn;
    __shared__ float carry;
    if (threadIdx.x == 0) turn = atomicAdd(ticket, 1);
    __syncthreads();
    const int mine = turn, segment = mine % segments;
    const size_t row = (size_t)(mine / segments) * cols;
    const int first = segment * SEGMENT;
    if (threadIdx.x == 0) {
        carry = 0.0f;
        if (segment > 0) {
            while (flags[mine - 1] == 0) {
            }
            carry = sums[mine - 1];
        }
    }
    __syncthreads();
    float before = carry;
    for (int base = first; base < first + SEGMENT; base += THREADS) {
        const int j = base + threadIdx.x;
        float v = j < cols ? x[row + j] : 0.0f;
        for (int d = 1; d < 32; d <<= 1) {
            const float up = __shfl_up_sync(0xffffffffu, v, d);
            if (threadIdx.x >= d) v += up;
        }
        if (j < cols) y[row + j] = before + v;
        before += __shfl_sync(0xffffffffu, v, 31);
    }
    if (threadIdx.x == 0) {
        sums[mine] = before;
        flags[mine] = 1;
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (rows == 0 || cols == 0) return;
    const int segments = (cols + SEGMENT - 1) / SEGMENT;
    const size_t blocks = (size_t)rows * segments;
    float* sums;
    int* flags;
    cudaMalloc(&sums, blocks * sizeof(float));
    cudaMalloc(&flags, (blocks + 1) * sizeof(int));
    cudaMemset(flags, 0, (blocks + 1) * sizeof(int));
    cumsum_kernel<<<(unsigned)blocks, THREADS>>>(input, output, sums, flags, flags + blocks, cols, segments);
    cudaFree(sums);
    cudaFree(flags);
}
