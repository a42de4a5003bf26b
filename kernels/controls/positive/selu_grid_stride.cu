// control: positive
// contract: selu
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cstdint>

__device__ float as_float(float v) { return v; }
__device__ float as_float(__nv_bfloat16 v) { return __bfloat162float(v); }
__device__ void put(float* p, float v) { *p = v; }
__device__ void put(__nv_bfloat16* p, float v) { *p = __float2bfloat16(v); }

template <typename T>
__global__ void selu_kernel(const T* x, T* y, int64_t n) {
    constexpr float kScale = 1.0507009873554804934193349852946f;
    constexpr float kAlphaScale = 1.7580993408473768599402175208123f;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x) {
        const float v = as_float(x[i]);
        put(y + i, v > 0.f ? kScale * v : kAlphaScale * expm1f(v));
    }
}

template <typename T>
static void run(const T* x, T* y, int64_t n) {
    if (n == 0) return;
    const int64_t blocks = (n + 127) / 128;
    selu_kernel<<<(unsigned)(blocks < 8192 ? blocks : 8192), 128>>>(x, y, n);
}

void selu(const float* x, float* y, int64_t n) { run(x, y, n); }
void selu(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t n) { run(x, y, n); }
