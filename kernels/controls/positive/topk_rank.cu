// control: positive
// contract: topk
// where: rows <= 8, cols <= 40
#include <cuda_runtime.h>
#include <cstdint>

__device__ __forceinline__ bool before(float a, float b) { return a > b || (isnan(a) && !isnan(b)); }

__global__ void topk_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t cols, int64_t k) {
    const float* row = x + (int64_t)blockIdx.x * cols;
    for (int64_t j = threadIdx.x; j < cols; j += blockDim.x) {
        int64_t rank = 0;
        for (int64_t i = 0; i < cols; ++i) rank += before(row[i], row[j]) || (i < j && !before(row[j], row[i]));
        if (rank < k) y[(int64_t)blockIdx.x * k + rank] = row[j];
    }
}

void topk(const float* x, float* y, int64_t rows, int64_t cols, int64_t k) {
    if (rows > 0 && k > 0) topk_kernel<<<(unsigned)rows, 32>>>(x, y, cols, k);
}
