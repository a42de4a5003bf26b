// control: negative
// contract: triplet_margin_loss
// gate: CMP-01
// also: CMP-03, ORD-01
// bind: triplet_margin_loss(a, p, n, loss, rows, cols, margin, eps)
// fault: squared distances are compared, the roots are forgotten
#include <cuda_runtime.h>
#include <cstdint>

__global__ void triplet_kernel(const float* a, const float* p, const float* n, float* loss, int64_t rows,
                               int64_t cols, float margin, float eps) {
    float sum = 0.f;
    for (int64_t r = threadIdx.x; r < rows; r += 32) {
        float near = 0.f, far = 0.f;
        for (int64_t j = r * cols; j < (r + 1) * cols; ++j) {
            near += (a[j] - p[j] + eps) * (a[j] - p[j] + eps);
            far += (a[j] - n[j] + eps) * (a[j] - n[j] + eps);
        }
        const float hinge = margin + near - far;
        sum += hinge < 0.f ? 0.f : hinge;
    }
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (threadIdx.x == 0) *loss = sum / (float)rows;
}

void triplet_margin_loss(const float* a, const float* p, const float* n, float* loss, int64_t rows, int64_t cols,
                         float margin, float eps) {
    triplet_kernel<<<1, 32>>>(a, p, n, loss, rows, cols, margin, eps);
}
