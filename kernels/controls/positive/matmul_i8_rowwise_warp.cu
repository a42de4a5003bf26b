// control: positive
// contract: matmul_i8_rowwise
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>

__device__ __forceinline__ void put(float* p, float v) { *p = v; }
__device__ __forceinline__ void put(__half* p, float v) { *p = __float2half(v); }

// A warp for each output; integers add up to the same in any order.
template <typename T>
__global__ void rowwise_kernel(const int8_t* __restrict__ a, const int8_t* __restrict__ b, const float* __restrict__ sa,
                               const float* __restrict__ sb, T* __restrict__ y, int64_t m, int64_t n, int64_t k) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (e >= m * n) return;
    const int64_t i = e / n, j = e % n;
    int acc = 0;
    for (int64_t p = threadIdx.x; p < k; p += 32) acc += (int)a[i * k + p] * (int)b[j * k + p];
    for (int offset = 16; offset > 0; offset /= 2) acc += __shfl_down_sync(0xffffffffu, acc, offset);
    if (threadIdx.x == 0) put(y + e, (float)acc * sa[i] * sb[j]);
}

void rowwise(const int8_t* a, const int8_t* b, const float* sa, const float* sb, float* y, int64_t m, int64_t n,
             int64_t k) {
    if (m * n > 0) rowwise_kernel<<<(unsigned)((m * n + 3) / 4), dim3(32, 4)>>>(a, b, sa, sb, y, m, n, k);
}
void rowwise(const int8_t* a, const int8_t* b, const float* sa, const float* sb, __half* y, int64_t m, int64_t n,
             int64_t k) {
    if (m * n > 0) rowwise_kernel<<<(unsigned)((m * n + 3) / 4), dim3(32, 4)>>>(a, b, sa, sb, y, m, n, k);
}
