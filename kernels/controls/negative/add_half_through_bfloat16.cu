// control: negative
// contract: add
// gate: PRC-01
// fault: the half version passes through bfloat16 and loses three bits
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdint>

__device__ __forceinline__ float sum_of(float a, float b) { return a + b; }
__device__ __forceinline__ __half sum_of(__half a, __half b) {
    const __nv_bfloat16 s = __float2bfloat16(__half2float(a) + __half2float(b));
    return __float2half(__bfloat162float(s));
}

template <typename T>
__global__ void add_kernel(const T* a, const T* b, T* y, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = sum_of(a[i], b[i]);
}

void add(const float* a, const float* b, float* y, int64_t n) {
    if (n > 0) add_kernel<<<(unsigned)((n + 255) / 256), 256>>>(a, b, y, n);
}
void add(const __half* a, const __half* b, __half* y, int64_t n) {
    if (n > 0) add_kernel<<<(unsigned)((n + 255) / 256), 256>>>(a, b, y, n);
}
