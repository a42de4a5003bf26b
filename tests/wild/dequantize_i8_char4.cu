// contract: dequantize_i8
#include <cuda_runtime.h>
#include <cstddef>

__global__ void dequant(const signed char* q, const float* scale, float* out, size_t n, int zero_point) {
    const float s = *scale;
    const size_t i = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) * 4;
    if (i + 4 <= n) {
        const char4 v = *reinterpret_cast<const char4*>(q + i);
        float4 f = make_float4((v.x - zero_point) * s, (v.y - zero_point) * s, (v.z - zero_point) * s, (v.w - zero_point) * s);
        *reinterpret_cast<float4*>(out + i) = f;
        return;
    }
    for (size_t j = i; j < n; ++j) out[j] = (q[j] - zero_point) * s;
}

void dequantize(const signed char* q, const float* scale, float* out, size_t n, int zero_point) {
    if (n) dequant<<<(unsigned)((n + 1023) / 1024), 256>>>(q, scale, out, n, zero_point);
}
