// contract: gelu
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

typedef __nv_bfloat16 bf16;

__global__ void gelu_bf16_kernel(bf16* out, const bf16* inp, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = __bfloat162float(inp[i]);
    out[i] = __float2bfloat16(0.5f * v * (1.0f + erff(v * 0.70710678118654752f)));
}

extern "C" void gelu_forward(void* out, const void* inp, int64_t n, void* stream) {
    if (n == 0) return;
    const int block = 512;
    const int grid = (int)((n + block - 1) / block);
    gelu_bf16_kernel<<<grid, block, 0, (cudaStream_t)stream>>>((bf16*)out, (const bf16*)inp, n);
}
