// control: positive
// contract: tanh
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>

__global__ void tanh_kernel(const float* x, float* y, int64_t n) {
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x)
        y[i] = tanhf(x[i]);
}
__global__ void tanh_kernel(const __half* x, __half* y, int64_t n) {
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x)
        y[i] = __float2half(tanhf(__half2float(x[i])));
}

static unsigned grid_for(int64_t n) { return (unsigned)(n / 256 < 8192 ? n / 256 + 1 : 8192); }

void tanh_forward(const float* x, float* y, int64_t n) {
    if (n > 0) tanh_kernel<<<grid_for(n), 256>>>(x, y, n);
}
void tanh_forward(const __half* x, __half* y, int64_t n) {
    if (n > 0) tanh_kernel<<<grid_for(n), 256>>>(x, y, n);
}
