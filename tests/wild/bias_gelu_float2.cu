// contract: bias_gelu
#include <cuda_runtime.h>
#include <math_constants.h>

#define FLOAT2(value) (reinterpret_cast<float2*>(&(value))[0])

__device__ __forceinline__ float gelu(float v) { return 0.5f * v * (1.0f + erff(v * CUDART_SQRT_HALF_F)); }

__global__ void bias_gelu_kernel(float* x, float* b, float* y, size_t rows, size_t cols) {
    const size_t row = blockIdx.x;
    if (cols % 2 == 0) {
        for (size_t c = 2 * threadIdx.x; c < cols; c += 2 * blockDim.x) {
            float2 v = FLOAT2(x[row * cols + c]);
            const float2 w = FLOAT2(b[c]);
            v.x = gelu(v.x + w.x);
            v.y = gelu(v.y + w.y);
            FLOAT2(y[row * cols + c]) = v;
        }
        return;
    }
    for (size_t c = threadIdx.x; c < cols; c += blockDim.x) y[row * cols + c] = gelu(x[row * cols + c] + b[c]);
}

extern "C" void bias_gelu(float* input, float* bias, float* output, size_t rows, size_t cols) {
    if (rows && cols) bias_gelu_kernel<<<(unsigned)rows, 128>>>(input, bias, output, rows, cols);
}
