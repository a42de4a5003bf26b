// control: positive
// contract: relu
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdint>

template <typename T> struct Convert;
template <> struct Convert<float> {
    static __device__ float load(float v) { return v; }
    static __device__ float store(float v) { return v; }
};
template <> struct Convert<__half> {
    static __device__ float load(__half v) { return __half2float(v); }
    static __device__ __half store(float v) { return __float2half(v); }
};
template <> struct Convert<__nv_bfloat16> {
    static __device__ float load(__nv_bfloat16 v) { return __bfloat162float(v); }
    static __device__ __nv_bfloat16 store(float v) { return __float2bfloat16(v); }
};

// 16 bytes at a time; what is left over goes one element a thread.
template <typename T>
struct alignas(16) Pack {
    T lane[16 / sizeof(T)];
};

template <typename T>
__device__ __forceinline__ T relu_one(T v) {
    const float f = Convert<T>::load(v);
    return f > 0.0f || f != f ? v : Convert<T>::store(0.0f);
}

template <typename T>
__global__ void __launch_bounds__(256) relu_packed(const T* __restrict__ x, T* __restrict__ y, int64_t n) {
    constexpr int width = 16 / sizeof(T);
    const int64_t packs = n / width;
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < packs) {
        Pack<T> p = reinterpret_cast<const Pack<T>*>(x)[i];
#pragma unroll
        for (int k = 0; k < width; ++k) p.lane[k] = relu_one(p.lane[k]);
        reinterpret_cast<Pack<T>*>(y)[i] = p;
    } else {
        const int64_t tail = packs * width + (i - packs);
        if (tail < n) y[tail] = relu_one(x[tail]);
    }
}

template <typename T>
void launch_relu(const T* x, T* y, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    constexpr int width = 16 / sizeof(T);
    const int64_t work = n / width + n % width;
    const int64_t blocks = (work + 255) / 256;
    relu_packed<T><<<(unsigned)blocks, 256, 0, stream>>>(x, y, n);
}

void relu(const float* x, float* y, int64_t n, cudaStream_t stream) { launch_relu(x, y, n, stream); }
void relu(const __half* x, __half* y, int64_t n, cudaStream_t stream) { launch_relu(x, y, n, stream); }
void relu(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t n, cudaStream_t stream) { launch_relu(x, y, n, stream); }
