// contract: silu_backward
// Reciprocal through inline PTX, one Newton step for the last bits.
#include <cuda_runtime.h>

__device__ __forceinline__ unsigned lane_id() {
    unsigned r;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(r));
    return r;
}

__device__ __forceinline__ float rcp_approx(float x) {
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return fmaf(fmaf(-x, r, 1.0f), r, r);
}

__device__ __forceinline__ float sigmoid_of(float x) {
    const float e = expf(-fabsf(x));  // at most 1: nothing overflows
    const float s = rcp_approx(1.0f + e);
    return x >= 0.0f ? s : e * s;
}

// A warp takes 128 neighbours at a time.
__global__ void silu_backward_kernel(const float* __restrict__ x, const float* __restrict__ dy, float* __restrict__ dx, size_t n) {
    const size_t warp = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) / 32;
    const size_t base = warp * 128 + lane_id();
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const size_t i = base + 32 * k;
        if (i < n) {
            const float v = x[i], s = sigmoid_of(v);
            dx[i] = dy[i] * s * (1.0f + v * (1.0f - s));
        }
    }
}

extern "C" void silu_backward(const float* x, const float* dy, float* dx, size_t numel) {
    const size_t warps = (numel + 127) / 128;
    if (warps) silu_backward_kernel<<<(unsigned)((warps + 7) / 8), 256>>>(x, dy, dx, numel);
}
