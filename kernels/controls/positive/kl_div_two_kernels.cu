// control: positive
// contract: kl_div
#include <cuda_runtime.h>
#include <cstdint>

__device__ __forceinline__ float warp_sum(float v) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

// A warp a row, then one warp over the rows. Where t is 0, t * log t is 0, and t * x stays.
__global__ void row_kernel(const float* __restrict__ x, const float* __restrict__ t, float* __restrict__ sums,
                           int64_t rows, int64_t cols) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float sum = 0.f;
    for (int64_t j = row * cols + threadIdx.x; j < (row + 1) * cols; j += 32)
        sum += (t[j] == 0.f ? 0.f : t[j] * logf(t[j])) - t[j] * x[j];
    sum = warp_sum(sum);
    if (threadIdx.x == 0) sums[row] = sum;
}

__global__ void finish(const float* sums, float* loss, int64_t rows) {
    float sum = 0.f;
    for (int64_t r = threadIdx.x; r < rows; r += 32) sum += sums[r];
    sum = warp_sum(sum);
    if (threadIdx.x == 0) *loss = sum / (float)rows;
}

void kl_div(const float* x, const float* t, float* loss, int64_t rows, int64_t cols) {
    float* sums = nullptr;
    cudaMalloc(&sums, (rows > 0 ? rows : 1) * sizeof(float));
    if (rows > 0) row_kernel<<<(unsigned)((rows + 3) / 4), dim3(32, 4)>>>(x, t, sums, rows, cols);
    finish<<<1, 32>>>(sums, loss, rows);
    cudaFree(sums);
}
