// control: negative
// contract: softmax
// gate: RES-01
// only: yes
// fault: the exponentials are kept in the input buffer, which a caller did not offer as scratch memory
#include <cuda_runtime.h>
#include <cstdint>
#include <math.h>

__global__ void softmax_scratch(float* x, float* y, int64_t rows, int64_t cols) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float* in = x + row * cols;
    float* out = y + row * cols;
    float m = -INFINITY;
    for (int64_t j = threadIdx.x; j < cols; j += 32) m = fmaxf(m, in[j]);
    for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
    float s = 0.0f;
    for (int64_t j = threadIdx.x; j < cols; j += 32) {
        in[j] = expf(in[j] - m);  // one exponential an element, no second pass over exp
        s += in[j];
    }
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    for (int64_t j = threadIdx.x; j < cols; j += 32) out[j] = in[j] / s;
}

void softmax(const float* x, float* y, int64_t rows, int64_t cols) {
    if (rows == 0 || cols == 0) return;
    softmax_scratch<<<(unsigned)((rows + 3) / 4), dim3(32, 4)>>>(const_cast<float*>(x), y, rows, cols);
}
