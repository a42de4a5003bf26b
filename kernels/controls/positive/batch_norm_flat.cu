// control: positive
// contract: batch_norm
// bind: batch_norm(x, rm, rv, w, b, y, n, ch, l, eps)
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>

__device__ __forceinline__ float up(float v) { return v; }
__device__ __forceinline__ float up(__half v) { return __half2float(v); }
__device__ __forceinline__ void down(float* p, float v) { *p = v; }
__device__ __forceinline__ void down(__half* p, float v) { *p = __float2half(v); }

template <typename T>
__global__ void batch_norm_kernel(const T* x, const T* rm, const T* rv, const T* w, const T* b, T* y, int64_t total,
                                  int64_t ch, int64_t l, float eps) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    const int64_t c = i / l % ch;
    const float scale = rsqrtf(up(rv[c]) + eps) * up(w[c]);
    down(y + i, (up(x[i]) - up(rm[c])) * scale + up(b[c]));
}

template <typename T>
static void run(const T* x, const T* rm, const T* rv, const T* w, const T* b, T* y, int64_t n, int64_t ch, int64_t l,
                float eps) {
    const int64_t total = n * ch * l;
    if (total > 0)
        batch_norm_kernel<<<(unsigned)((total + 255) / 256), 256>>>(x, rm, rv, w, b, y, total, ch, l, eps);
}

void batch_norm(const float* x, const float* rm, const float* rv, const float* w, const float* b, float* y, int64_t n,
                int64_t ch, int64_t l, float eps) {
    run(x, rm, rv, w, b, y, n, ch, l, eps);
}
void batch_norm(const __half* x, const __half* rm, const __half* rv, const __half* w, const __half* b, __half* y,
                int64_t n, int64_t ch, int64_t l, float eps) {
    run(x, rm, rv, w, b, y, n, ch, l, eps);
}
