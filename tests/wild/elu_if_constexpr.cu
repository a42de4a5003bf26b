// contract: elu
#include <cuda_runtime.h>
#include <cstdint>
#include <type_traits>

namespace act {

template <typename T>
__device__ __forceinline__ T expm1_of(T v) {
    if constexpr (std::is_same_v<T, float>) {
        return expm1f(v);
    } else {
        static_assert(std::is_same_v<T, double>, "float or double");
        return expm1(v);
    }
}

template <typename T, int kBlock>
__global__ void elu_kernel(const T* __restrict__ x, T* __restrict__ y, int64_t n, T alpha) {
    for (int64_t i = blockIdx.x * int64_t{kBlock} + threadIdx.x; i < n; i += int64_t{kBlock} * gridDim.x) {
        const T v = x[i];
        y[i] = v > T(0) ? v : alpha * expm1_of(v);
    }
}

template <typename T>
void dispatch(const T* x, T* y, int64_t n, T alpha, cudaStream_t s) {
    constexpr int kBlock = sizeof(T) == 4 ? 256 : 128;
    if (n > 0) elu_kernel<T, kBlock><<<static_cast<unsigned>((n + kBlock - 1) / kBlock), kBlock, 0, s>>>(x, y, n, alpha);
}

}  // namespace act

void elu(const float* x, float* y, int64_t n, float alpha, cudaStream_t stream) { act::dispatch(x, y, n, alpha, stream); }
void elu(const double* x, double* y, int64_t n, double alpha, cudaStream_t stream) { act::dispatch(x, y, n, alpha, stream); }
