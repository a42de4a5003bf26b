// contract: embedding
#include <cuda_runtime.h>
#include <cstdint>

template <typename T, typename IndexT, int VEC>
struct alignas(sizeof(T) * VEC) AlignedVector {
    T val[VEC];
};

template <int VEC>
__global__ void embedding_kernel(const float* __restrict__ table, const int64_t* __restrict__ ids, float* __restrict__ out,
                                 int64_t n, int64_t dim) {
    using V = AlignedVector<float, int64_t, VEC>;
    const int64_t per_row = dim / VEC;
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n * per_row; i += (int64_t)gridDim.x * blockDim.x) {
        const int64_t row = ids[i / per_row];
        reinterpret_cast<V*>(out)[i] = reinterpret_cast<const V*>(table)[row * per_row + i % per_row];
    }
}

cudaError_t embedding_forward(const float* weight, const int64_t* ids, float* out, int64_t vocab, int64_t dim, int64_t n,
                              cudaStream_t stream) {
    (void)vocab;
    if (n == 0 || dim == 0) return cudaSuccess;
    const auto grid = [&](int64_t work) { return (unsigned)(work / 128 + 1 < 1024 ? work / 128 + 1 : 1024); };
    const bool aligned = ((reinterpret_cast<uintptr_t>(weight) | reinterpret_cast<uintptr_t>(out)) & 15) == 0;
    if (dim % 4 == 0 && aligned)
        embedding_kernel<4><<<grid(n * dim / 4), 128, 0, stream>>>(weight, ids, out, n, dim);
    else
        embedding_kernel<1><<<grid(n * dim), 128, 0, stream>>>(weight, ids, out, n, dim);
    return cudaGetLastError();
}
