// control: negative
// contract: sigmoid
// gate: PRC-01
// only: yes
// bind: sigmoid_forward(x, y, n)
// fault: the half version rounds its results towards zero
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>

__device__ __forceinline__ float sigmoid(float v) { return 1.0f / (1.0f + expf(-v)); }

__device__ __forceinline__ void write(float* p, float v) { *p = v; }

// Drops the low 13 bits of the mantissa: cheaper than a conversion with rounding.
__device__ __forceinline__ void write(__half* p, float v) { *p = __float2half_rz(v); }

__device__ __forceinline__ float read(const float* p) { return *p; }
__device__ __forceinline__ float read(const __half* p) { return __half2float(*p); }

template <typename T>
__global__ void sigmoid_kernel(const T* in, T* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) write(out + i, sigmoid(read(in + i)));
}

void sigmoid_forward(const float* in, float* out, int64_t n) {
    if (n > 0) sigmoid_kernel<<<(unsigned)((n + 255) / 256), 256>>>(in, out, n);
}
void sigmoid_forward(const __half* in, __half* out, int64_t n) {
    if (n > 0) sigmoid_kernel<<<(unsigned)((n + 255) / 256), 256>>>(in, out, n);
}
