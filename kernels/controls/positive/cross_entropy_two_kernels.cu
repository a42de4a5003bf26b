// control: positive
// contract: cross_entropy
// bind: cross_entropy(x, t, loss, rows, classes, ignore)
#include <cuda_runtime.h>
#include <cstdint>
#include <cmath>

// Kernel 1: the loss of each row, 0 where it is ignored. Kernel 2: one block adds them in a fixed order.
__global__ void row_losses(const float* __restrict__ logits, const int64_t* __restrict__ targets,
                           float* __restrict__ losses, int64_t rows, int64_t classes, int64_t ignore) {
    const int lane = threadIdx.x & 31;
    const int64_t row = (int64_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= rows) return;
    const int64_t t = targets[row];
    if (t == ignore) {  // the same for the whole warp
        if (lane == 0) losses[row] = 0.f;
        return;
    }
    const float* x = logits + row * classes;
    float m = -INFINITY;
    for (int64_t j = lane; j < classes; j += 32) m = fmaxf(m, x[j]);
    for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
    float s = 0.f;
    for (int64_t j = lane; j < classes; j += 32) s += expf(x[j] - m);
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    if (lane == 0) losses[row] = -(x[t] - m - logf(s));
}

__global__ void mean_loss(const float* __restrict__ losses, const int64_t* __restrict__ targets, float* loss,
                          int64_t rows, int64_t ignore) {
    __shared__ float sums[256];
    __shared__ float counts[256];
    float sum = 0.f;
    int64_t count = 0;
    for (int64_t r = threadIdx.x; r < rows; r += 256) {
        if (targets[r] != ignore) {
            sum += losses[r];
            ++count;
        }
    }
    sums[threadIdx.x] = sum;
    counts[threadIdx.x] = (float)count;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (threadIdx.x < s) {
            sums[threadIdx.x] += sums[threadIdx.x + s];
            counts[threadIdx.x] += counts[threadIdx.x + s];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) *loss = sums[0] / counts[0];  // 0 / 0: NaN where every row is ignored, as in torch
}

void cross_entropy(const float* logits, const int64_t* targets, float* loss, int64_t rows, int64_t classes,
                   int64_t ignore_index) {
    float* losses = nullptr;
    cudaMalloc(&losses, (rows > 0 ? rows : 1) * sizeof(float));
    if (rows > 0)
        row_losses<<<(unsigned)((rows + 3) / 4), 128>>>(logits, targets, losses, rows, classes, ignore_index);
    mean_loss<<<1, 256>>>(losses, targets, loss, rows, ignore_index);
    cudaDeviceSynchronize();
    cudaFree(losses);
}
