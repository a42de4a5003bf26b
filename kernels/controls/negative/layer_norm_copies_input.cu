// control: negative
// contract: layer_norm
// gate: CMP-01
// also: CMP-03
// bind: layer_norm(x, w, b, y, rows, cols, eps)
// fault: the answer is a copy of the input
#include <cuda_runtime.h>

void layer_norm(const float* x, const float* w, const float* b, float* y, int rows, int cols, float eps) {
    (void)w;
    (void)b;
    (void)eps;
    const size_t bytes = (size_t)rows * cols * sizeof(float);
    if (bytes > 0) cudaMemcpy(y, x, bytes, cudaMemcpyDeviceToDevice);
}
