// control: positive
// contract: rms_norm
// bind: launch(y, x, w, rows, cols, eps)
// dtype: bf16
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cstdint>

using bf16 = __nv_bfloat16;

__global__ void rmsnorm_bf16_kernel(bf16* out, const bf16* in, const bf16* w, int64_t dim, float eps) {
    __shared__ float s_sum;
    const bf16* x = in + blockIdx.x * dim;
    bf16* y = out + blockIdx.x * dim;
    const int tid = threadIdx.x;

    // One warp does the whole row; the other warps help to write it.
    if (tid < 32) {
        float acc = 0.0f;
        for (int64_t i = tid; i < dim; i += 32) {
            const float v = __bfloat162float(x[i]);
            acc = fmaf(v, v, acc);
        }
        for (int o = 16; o > 0; o >>= 1) acc += __shfl_down_sync(0xffffffffu, acc, o);
        if (tid == 0) s_sum = acc;
    }
    __syncthreads();

    const float r = 1.0f / sqrtf(s_sum / static_cast<float>(dim) + eps);
    for (int64_t i = tid; i < dim; i += blockDim.x)
        y[i] = __float2bfloat16(__bfloat162float(x[i]) * r * __bfloat162float(w[i]));
}

void launch(void* out, void* in, void* weight, int64_t batch, int64_t dim, double eps) {
    if (batch <= 0 || dim <= 0) return;
    rmsnorm_bf16_kernel<<<static_cast<unsigned>(batch), 128>>>(
        static_cast<bf16*>(out), static_cast<const bf16*>(in), static_cast<const bf16*>(weight), dim,
        static_cast<float>(eps));
}
