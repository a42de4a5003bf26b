// control: positive
// contract: ada_layer_norm
// bind: ada_layer_norm(x, scale, shift, y, b, t, cols, eps)
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cstdint>

__device__ __forceinline__ float up(float v) { return v; }
__device__ __forceinline__ float up(__nv_bfloat16 v) { return __bfloat162float(v); }
__device__ __forceinline__ void down(float* p, float v) { *p = v; }
__device__ __forceinline__ void down(__nv_bfloat16* p, float v) { *p = __float2bfloat16(v); }

__device__ __forceinline__ float warp_sum(float v) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

template <typename T>
__global__ void ada_layer_norm_kernel(const T* __restrict__ x, const T* __restrict__ scale,
                                      const T* __restrict__ shift, T* __restrict__ y, int64_t rows, int64_t t,
                                      int64_t cols, float eps) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const T* in = x + row * cols;
    float sum = 0.f, squares = 0.f;
    for (int64_t j = threadIdx.x; j < cols; j += 32) sum += up(in[j]);
    const float mean = warp_sum(sum) / (float)cols;
    for (int64_t j = threadIdx.x; j < cols; j += 32) {
        const float d = up(in[j]) - mean;
        squares += d * d;
    }
    const float inverse = rsqrtf(warp_sum(squares) / (float)cols + eps);
    const int64_t sample = row / t * cols;
    for (int64_t j = threadIdx.x; j < cols; j += 32) {
        const float h = (up(in[j]) - mean) * inverse;
        down(y + row * cols + j, h * (1.f + up(scale[sample + j])) + up(shift[sample + j]));
    }
}

template <typename T>
static void run(const T* x, const T* scale, const T* shift, T* y, int64_t b, int64_t t, int64_t cols, float eps) {
    const int64_t rows = b * t;
    if (rows > 0)
        ada_layer_norm_kernel<<<(unsigned)((rows + 3) / 4), dim3(32, 4)>>>(x, scale, shift, y, rows, t, cols, eps);
}

void ada_layer_norm(const float* x, const float* scale, const float* shift, float* y, int64_t b, int64_t t,
                    int64_t cols, float eps) {
    run(x, scale, shift, y, b, t, cols, eps);
}
void ada_layer_norm(const __nv_bfloat16* x, const __nv_bfloat16* scale, const __nv_bfloat16* shift, __nv_bfloat16* y,
                    int64_t b, int64_t t, int64_t cols, float eps) {
    run(x, scale, shift, y, b, t, cols, eps);
}
