// control: negative
// contract: relu
// gate: EXC-02
// only: yes
// fault: positive subnormals become 0
#include <cuda_runtime.h>
#include <cfloat>
#include <cstdint>

__global__ void relu_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t n) {
    const int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        const float v = x[i];
        y[i] = v < FLT_MIN ? 0.0f : v;  // FLT_MIN is the least normal number, not the lowest
    }
}

void relu(const float* x, float* y, int64_t n) {
    if (n == 0) return;
    const int64_t blocks = (n + 255) / 256;
    relu_kernel<<<(unsigned)(blocks < 65535 ? blocks : 65535), 256>>>(x, y, n);
}
