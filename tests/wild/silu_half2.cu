// contract: silu
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define HALF2(value) (reinterpret_cast<half2*>(&(value))[0])
#define CHALF2(value) (reinterpret_cast<const half2*>(&(value))[0])
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))

static __device__ __forceinline__ float silu1(float v) { return v / (1.0f + __expf(-v)); }

// 8 halves a thread, as four half2; whoever has fewer left goes one by one.
__global__ void silu_f16x8_kernel(const half* x, half* y, int N) {
    int idx = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (idx + 7 < N) {
#pragma unroll
        for (int i = 0; i < 8; i += 2) {
            half2 reg_x = CHALF2(x[idx + i]);
            float2 f = __half22float2(reg_x);
            f.x = silu1(f.x);
            f.y = silu1(f.y);
            HALF2(y[idx + i]) = __float22half2_rn(f);
        }
    } else {
        for (int i = idx; i < N; ++i) y[i] = __float2half(silu1(__half2float(x[i])));
    }
}

void silu_f16x8(half* y, const half* x, int N) {
    if (N < 1) return;
    dim3 block(256);
    dim3 grid(CEIL_DIV(CEIL_DIV(N, 8), 256));
    silu_f16x8_kernel<<<grid, block>>>(x, y, N);
}
