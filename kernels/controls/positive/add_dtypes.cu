// control: positive
// contract: add
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdint>

// One rounding in every dtype: the sum of two halves is exact in float.
__device__ float plus(float a, float b) { return a + b; }
__device__ double plus(double a, double b) { return a + b; }
__device__ __half plus(__half a, __half b) { return __hadd(a, b); }
__device__ __nv_bfloat16 plus(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __float2bfloat16(__bfloat162float(a) + __bfloat162float(b));
}

template <typename T>
__global__ void add_kernel(const T* a, const T* b, T* y, int64_t n) {
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)blockDim.x * gridDim.x) {
        y[i] = plus(a[i], b[i]);
    }
}

template <typename T>
void run(const T* a, const T* b, T* y, int64_t n) {
    if (n == 0) return;
    const int64_t blocks = (n + 127) / 128;
    add_kernel<<<(unsigned)(blocks > 16384 ? 16384 : blocks), 128>>>(a, b, y, n);
}

void add(const float* a, const float* b, float* y, int64_t n) { run(a, b, y, n); }
void add(const double* a, const double* b, double* y, int64_t n) { run(a, b, y, n); }
void add(const __half* a, const __half* b, __half* y, int64_t n) { run(a, b, y, n); }
void add(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* y, int64_t n) { run(a, b, y, n); }
