// control: negative
// contract: layer_norm_backward
// gate: CMP-02
// also: CMP-01, CMP-03
// bind: layer_norm_backward(x, w, dy, dx, dw, db, rows, cols, eps)
// fault: the mean of the weighted gradient is not subtracted, as if the mean of x were a constant
#include <cuda_runtime.h>
#include <cstdint>

__global__ void row_kernel(const float* x, const float* w, const float* dy, float* dx, float2* statistics,
                           int64_t rows, int64_t cols, float eps) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float* in = x + row * cols;
    const float* grad = dy + row * cols;
    float mean = 0.f, var = 0.f, weighted = 0.f;
    for (int64_t j = 0; j < cols; ++j) mean += in[j];
    mean /= (float)cols;
    for (int64_t j = 0; j < cols; ++j) var += (in[j] - mean) * (in[j] - mean);
    const float rs = rsqrtf(var / (float)cols + eps);
    for (int64_t j = 0; j < cols; ++j) weighted += grad[j] * w[j] * ((in[j] - mean) * rs);
    weighted /= (float)cols;
    for (int64_t j = 0; j < cols; ++j)
        dx[row * cols + j] = rs * (grad[j] * w[j] - (in[j] - mean) * rs * weighted);
    statistics[row] = make_float2(mean, rs);
}

__global__ void column_kernel(const float* x, const float* dy, const float2* statistics, float* dw, float* db,
                              int64_t rows, int64_t cols) {
    const int64_t c = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    float scale = 0.f, shift = 0.f;
    for (int64_t r = 0; r < rows; ++r) {
        scale += dy[r * cols + c] * ((x[r * cols + c] - statistics[r].x) * statistics[r].y);
        shift += dy[r * cols + c];
    }
    dw[c] = scale;
    db[c] = shift;
}

void layer_norm_backward(const float* x, const float* w, const float* dy, float* dx, float* dw, float* db,
                         int64_t rows, int64_t cols, float eps) {
    float2* statistics = nullptr;
    cudaMalloc(&statistics, (rows > 0 ? rows : 1) * sizeof(float2));
    if (rows > 0) row_kernel<<<(unsigned)((rows + 31) / 32), 32>>>(x, w, dy, dx, statistics, rows, cols, eps);
    column_kernel<<<(unsigned)((cols + 63) / 64), 64>>>(x, dy, statistics, dw, db, rows, cols);
    cudaFree(statistics);
}
