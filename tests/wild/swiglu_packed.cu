// contract: swiglu
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

// act_and_mul: x holds gate and up side by side in each row.
template <typename T, float (*ACT_FN)(float)>
__global__ void act_and_mul_kernel(T* __restrict__ out, const T* __restrict__ input, const int64_t d) {
    const int64_t token_idx = blockIdx.x;
    for (int64_t idx = threadIdx.x; idx < d; idx += blockDim.x) {
        const float x = static_cast<float>(input[token_idx * 2 * d + idx]);
        const float y = static_cast<float>(input[token_idx * 2 * d + d + idx]);
        out[token_idx * d + idx] = static_cast<T>(ACT_FN(x) * y);
    }
}

__device__ __forceinline__ float silu_kernel(float x) { return x / (1.0f + expf(-x)); }

#define LAUNCH_ACTIVATION_GATE_KERNEL(TYPE, ACT)                                                       \
    const dim3 grid((unsigned)rows);                                                                   \
    const dim3 block((unsigned)(cols < 256 ? cols : 256));                                             \
    if (rows > 0 && cols > 0)                                                                          \
        act_and_mul_kernel<TYPE, ACT><<<grid, block, 0, stream>>>(out, input, cols);

void silu_and_mul(float* out, const float* input, int64_t rows, int64_t cols, cudaStream_t stream) {
    LAUNCH_ACTIVATION_GATE_KERNEL(float, silu_kernel)
}

void silu_and_mul(half* out, const half* input, int64_t rows, int64_t cols, cudaStream_t stream) {
    LAUNCH_ACTIVATION_GATE_KERNEL(half, silu_kernel)
}
