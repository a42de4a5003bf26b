// control: positive
// contract: triplet_margin_loss
// bind: triplet_margin_loss(a, p, n, loss, rows, cols, margin, eps)
#include <cuda_runtime.h>
#include <cstdint>

__device__ __forceinline__ float warp_sum(float v) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

__global__ void row_losses(const float* __restrict__ a, const float* __restrict__ p, const float* __restrict__ n,
                           float* __restrict__ losses, int64_t rows, int64_t cols, float margin, float eps) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float near = 0.f, far = 0.f;
    for (int64_t j = row * cols + threadIdx.x; j < (row + 1) * cols; j += 32) {
        const float dp = a[j] - p[j] + eps;
        const float dn = a[j] - n[j] + eps;
        near += dp * dp;
        far += dn * dn;
    }
    const float hinge = margin + sqrtf(warp_sum(near)) - sqrtf(warp_sum(far));
    if (threadIdx.x == 0) losses[row] = hinge < 0.f ? 0.f : hinge;
}

__global__ void mean_kernel(const float* losses, float* loss, int64_t rows) {
    float sum = 0.f;
    for (int64_t r = threadIdx.x; r < rows; r += 32) sum += losses[r];
    sum = warp_sum(sum);
    if (threadIdx.x == 0) *loss = sum / (float)rows;
}

void triplet_margin_loss(const float* a, const float* p, const float* n, float* loss, int64_t rows, int64_t cols,
                         float margin, float eps) {
    float* losses = nullptr;
    cudaMalloc(&losses, (rows > 0 ? rows : 1) * sizeof(float));
    if (rows > 0) row_losses<<<(unsigned)((rows + 3) / 4), dim3(32, 4)>>>(a, p, n, losses, rows, cols, margin, eps);
    mean_kernel<<<1, 32>>>(losses, loss, rows);
    cudaFree(losses);
}
