// control: negative
// contract: layer_norm
// gate: CMP-03
// fault: in rows wider than 512 with 5 columns over a multiple of 32, the mean misses the last column
#include <cuda_runtime.h>
#include <math.h>

__global__ void layer_norm_rows(const float* x, const float* w, const float* b, float* y, int rows, int cols,
                                float eps) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float* p = x + (size_t)row * cols;
    float* q = y + (size_t)row * cols;
    int counted = cols;
    if (cols > 512) {
        int rest = cols % 32;
        if (rest == 5) counted = cols - rest + 4;  // one float4 of the rest
    }
    float mean = 0.0f, var = 0.0f;
    for (int j = 0; j < counted; ++j) mean += p[j];
    mean /= cols;
    for (int j = 0; j < cols; ++j) var += (p[j] - mean) * (p[j] - mean);
    float scale = 1.0f / sqrtf(var / cols + eps);
    for (int j = 0; j < cols; ++j) q[j] = (p[j] - mean) * scale * w[j] + b[j];
}

extern "C" void solve(const float* x, const float* w, const float* b, float* y, int rows, int cols, float eps) {
    if (rows > 0) layer_norm_rows<<<(rows + 63) / 64, 64>>>(x, w, b, y, rows, cols, eps);
}
