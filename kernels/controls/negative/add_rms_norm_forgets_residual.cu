// control: negative
// contract: add_rms_norm
// gate: CMP-01
// also: CMP-03, ORD-01
// bind: add_rms_norm(x, residual, w, y, s, rows, cols, eps)
// fault: the mean square is taken of x alone, before the residual is added
#include <cuda_runtime.h>
#include <cstdint>

__global__ void add_rms_norm_kernel(const float* x, const float* residual, const float* w, float* y, float* s,
                                    int64_t rows, int64_t cols, float eps) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float q = 0.f;
    for (int64_t j = threadIdx.x; j < cols; j += 32) q += x[row * cols + j] * x[row * cols + j];
    for (int o = 16; o > 0; o >>= 1) q += __shfl_xor_sync(0xffffffffu, q, o);
    const float scale = rsqrtf(q / (float)cols + eps);
    for (int64_t j = threadIdx.x; j < cols; j += 32) {
        const float h = x[row * cols + j] + residual[row * cols + j];
        s[row * cols + j] = h;
        y[row * cols + j] = h * scale * w[j];
    }
}

void add_rms_norm(const float* x, const float* residual, const float* w, float* y, float* s, int64_t rows,
                  int64_t cols, float eps) {
    if (rows > 0)
        add_rms_norm_kernel<<<(unsigned)((rows + 3) / 4), dim3(32, 4)>>>(x, residual, w, y, s, rows, cols, eps);
}
