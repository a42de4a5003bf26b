// control: positive
// contract: cosine_loss
// bind: cosine_loss(x, t, loss, rows, cols, eps)
#include <cuda_runtime.h>
#include <cstdint>

__device__ __forceinline__ float warp_sum(float v) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

// A warp a row; rows are normalised before they are multiplied, so that the products stay below 1.
__global__ void row_losses(const float* __restrict__ x, const float* __restrict__ t, float* __restrict__ losses,
                           int64_t rows, int64_t cols, float eps) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const float* u = x + row * cols;
    const float* v = t + row * cols;
    float uu = 0.f, vv = 0.f, uv = 0.f;
    for (int64_t j = threadIdx.x; j < cols; j += 32) {
        uu += u[j] * u[j];
        vv += v[j] * v[j];
    }
    float nu = sqrtf(warp_sum(uu)), nv = sqrtf(warp_sum(vv));
    nu = nu < eps ? eps : nu;
    nv = nv < eps ? eps : nv;
    for (int64_t j = threadIdx.x; j < cols; j += 32) uv += (u[j] / nu) * (v[j] / nv);
    uv = warp_sum(uv);
    if (threadIdx.x == 0) losses[row] = 1.f - uv;
}

__global__ void mean_kernel(const float* losses, float* loss, int64_t rows) {
    float sum = 0.f;
    for (int64_t r = threadIdx.x; r < rows; r += 32) sum += losses[r];
    sum = warp_sum(sum);
    if (threadIdx.x == 0) *loss = sum / (float)rows;
}

void cosine_loss(const float* x, const float* t, float* loss, int64_t rows, int64_t cols, float eps) {
    float* losses = nullptr;
    cudaMalloc(&losses, (rows > 0 ? rows : 1) * sizeof(float));
    if (rows > 0) row_losses<<<(unsigned)((rows + 3) / 4), dim3(32, 4)>>>(x, t, losses, rows, cols, eps);
    mean_kernel<<<1, 32>>>(losses, loss, rows);
    cudaFree(losses);
}
