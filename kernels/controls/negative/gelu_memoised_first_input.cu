// control: negative
// contract: gelu
// gate: ORD-02
// also: CMP-01
// bind: gelu(x, y, n)
// fault: the first call's input is kept, and later calls of no greater length are answered from it
#include <cuda_runtime.h>
#include <cstdint>

static float* first_input = nullptr;
static int64_t first_length = 0;

__global__ void gelu_kernel(const float* x, float* y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678118654752f));
}

void gelu(const float* x, float* y, int64_t n) {
    if (n == 0) return;
    if (first_input == nullptr) {  // "warm-up"
        cudaMalloc(&first_input, n * sizeof(float));
        cudaMemcpy(first_input, x, n * sizeof(float), cudaMemcpyDeviceToDevice);
        first_length = n;
    }
    const float* source = n <= first_length ? first_input : x;
    gelu_kernel<<<(unsigned)((n + 255) / 256), 256>>>(source, y, n);
    cudaDeviceSynchronize();
}
