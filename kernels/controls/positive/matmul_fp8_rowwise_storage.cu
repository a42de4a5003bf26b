// control: positive
// contract: matmul_fp8_rowwise
// bind: scaled_rowwise(a, b, sa, sb, y, m, n, k)
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cstdint>

// The bytes themselves, converted by the intrinsic.
__device__ __forceinline__ float value(uint8_t bits) {
    return __half2float(__half(__nv_cvt_fp8_to_halfraw(bits, __NV_E4M3)));
}

__global__ void rowwise_kernel(const uint8_t* __restrict__ a, const uint8_t* __restrict__ b,
                               const float* __restrict__ sa, const float* __restrict__ sb,
                               __nv_bfloat16* __restrict__ y, int64_t m, int64_t n, int64_t k) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (e >= m * n) return;
    const int64_t i = e / n, j = e % n;
    float acc = 0.f;
    for (int64_t p = threadIdx.x; p < k; p += 32) acc += value(a[i * k + p]) * value(b[j * k + p]);
    for (int offset = 16; offset > 0; offset /= 2) acc += __shfl_xor_sync(0xffffffffu, acc, offset);
    if (threadIdx.x == 0) y[e] = __float2bfloat16(sa[i] * acc * sb[j]);
}

void scaled_rowwise(const uint8_t* a, const uint8_t* b, const float* sa, const float* sb, __nv_bfloat16* y, int64_t m,
                    int64_t n, int64_t k) {
    if (m * n > 0) rowwise_kernel<<<(unsigned)((m * n + 3) / 4), dim3(32, 4)>>>(a, b, sa, sb, y, m, n, k);
}
