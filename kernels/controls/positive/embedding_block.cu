// control: positive
// contract: embedding
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cstdint>

template <typename T>
__global__ void embedding_kernel(const T* __restrict__ w, const int64_t* __restrict__ idx, T* __restrict__ y,
                                 int64_t dim) {
    const T* row = w + idx[blockIdx.x] * dim;
    for (int64_t c = threadIdx.x; c < dim; c += blockDim.x) y[(int64_t)blockIdx.x * dim + c] = row[c];
}

void embedding(const float* w, const int64_t* idx, float* y, int64_t vocab, int64_t dim, int64_t n) {
    (void)vocab;
    if (n > 0 && dim > 0) embedding_kernel<<<(unsigned)n, 64>>>(w, idx, y, dim);
}
void embedding(const __nv_bfloat16* w, const int64_t* idx, __nv_bfloat16* y, int64_t vocab, int64_t dim, int64_t n) {
    (void)vocab;
    if (n > 0 && dim > 0) embedding_kernel<<<(unsigned)n, 64>>>(w, idx, y, dim);
}
