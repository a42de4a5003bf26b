// control: positive
// contract: rms_norm_backward
// bind: rms_norm_backward(x, w, dy, dx, dw, rows, cols, eps)
#include <cuda_runtime.h>
#include <cstdint>

__device__ __forceinline__ float warp_sum(float v) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

__global__ void row_kernel(const float* __restrict__ x, const float* __restrict__ w, const float* __restrict__ dy,
                           float* __restrict__ dx, float* inverse, int64_t rows, int64_t cols, float eps) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const float* in = x + row * cols;
    const float* grad = dy + row * cols;
    float squares = 0.f, weighted = 0.f;
    for (int64_t j = threadIdx.x; j < cols; j += 32) squares += in[j] * in[j];
    const float rs = rsqrtf(warp_sum(squares) / (float)cols + eps);
    for (int64_t j = threadIdx.x; j < cols; j += 32) weighted += grad[j] * w[j] * (in[j] * rs);
    weighted = warp_sum(weighted) / (float)cols;
    for (int64_t j = threadIdx.x; j < cols; j += 32)
        dx[row * cols + j] = rs * (grad[j] * w[j] - in[j] * rs * weighted);
    if (threadIdx.x == 0) inverse[row] = rs;
}

__global__ void column_kernel(const float* __restrict__ x, const float* __restrict__ dy, const float* inverse,
                              float* __restrict__ dw, int64_t rows, int64_t cols) {
    const int64_t c = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    float acc = 0.f;
    for (int64_t r = 0; r < rows; ++r) acc += dy[r * cols + c] * (x[r * cols + c] * inverse[r]);
    dw[c] = acc;
}

void rms_norm_backward(const float* x, const float* w, const float* dy, float* dx, float* dw, int64_t rows,
                       int64_t cols, float eps) {
    float* inverse = nullptr;
    cudaMalloc(&inverse, (rows > 0 ? rows : 1) * sizeof(float));
    if (rows > 0) row_kernel<<<(unsigned)((rows + 3) / 4), dim3(32, 4)>>>(x, w, dy, dx, inverse, rows, cols, eps);
    column_kernel<<<(unsigned)((cols + 63) / 64), 64>>>(x, dy, inverse, dw, rows, cols);
    cudaFree(inverse);
}
