// control: positive
// contract: layer_norm_backward
// bind: layer_norm_backward(x, w, dy, dx, dw, db, rows, cols, eps)
#include <cuda_runtime.h>
#include <cstdint>

__device__ __forceinline__ float warp_sum(float v) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

// A warp a row: its statistics, kept for the second kernel, and dx.
__global__ void row_kernel(const float* __restrict__ x, const float* __restrict__ w, const float* __restrict__ dy,
                           float* __restrict__ dx, float2* statistics, int64_t rows, int64_t cols, float eps) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const float* in = x + row * cols;
    const float* grad = dy + row * cols;
    float sum = 0.f, squares = 0.f, plain = 0.f, weighted = 0.f;
    for (int64_t j = threadIdx.x; j < cols; j += 32) sum += in[j];
    const float mean = warp_sum(sum) / (float)cols;
    for (int64_t j = threadIdx.x; j < cols; j += 32) squares += (in[j] - mean) * (in[j] - mean);
    const float rs = rsqrtf(warp_sum(squares) / (float)cols + eps);
    for (int64_t j = threadIdx.x; j < cols; j += 32) {
        const float g = grad[j] * w[j];
        plain += g;
        weighted += g * ((in[j] - mean) * rs);
    }
    plain = warp_sum(plain) / (float)cols;
    weighted = warp_sum(weighted) / (float)cols;
    for (int64_t j = threadIdx.x; j < cols; j += 32)
        dx[row * cols + j] = rs * (grad[j] * w[j] - plain - (in[j] - mean) * rs * weighted);
    if (threadIdx.x == 0) statistics[row] = make_float2(mean, rs);
}

__global__ void column_kernel(const float* __restrict__ x, const float* __restrict__ dy, const float2* statistics,
                              float* __restrict__ dw, float* __restrict__ db, int64_t rows, int64_t cols) {
    const int64_t c = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    float scale = 0.f, shift = 0.f;
    for (int64_t r = 0; r < rows; ++r) {
        const float g = dy[r * cols + c];
        scale += g * ((x[r * cols + c] - statistics[r].x) * statistics[r].y);
        shift += g;
    }
    dw[c] = scale;
    db[c] = shift;
}

void layer_norm_backward(const float* x, const float* w, const float* dy, float* dx, float* dw, float* db,
                         int64_t rows, int64_t cols, float eps) {
    float2* statistics = nullptr;
    cudaMalloc(&statistics, (rows > 0 ? rows : 1) * sizeof(float2));
    if (rows > 0) row_kernel<<<(unsigned)((rows + 3) / 4), dim3(32, 4)>>>(x, w, dy, dx, statistics, rows, cols, eps);
    column_kernel<<<(unsigned)((cols + 63) / 64), 64>>>(x, dy, statistics, dw, db, rows, cols);
    cudaFree(statistics);
}
