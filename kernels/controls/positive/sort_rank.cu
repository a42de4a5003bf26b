// control: positive
// contract: sort
// where: rows <= 8, cols <= 40
#include <cuda_runtime.h>
#include <cstdint>

__device__ __forceinline__ bool before(float a, float b) { return a < b || (isnan(b) && !isnan(a)); }

// Each element counts what stands before it, and goes to that place. Of equals the first comes first.
__global__ void sort_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t cols) {
    const float* row = x + (int64_t)blockIdx.x * cols;
    for (int64_t j = threadIdx.x; j < cols; j += blockDim.x) {
        int64_t rank = 0;
        for (int64_t i = 0; i < cols; ++i) rank += before(row[i], row[j]) || (i < j && !before(row[j], row[i]));
        y[(int64_t)blockIdx.x * cols + rank] = row[j];
    }
}

void sort_rows(const float* x, float* y, int64_t rows, int64_t cols) {
    if (rows > 0 && cols > 0) sort_kernel<<<(unsigned)rows, 32>>>(x, y, cols);
}
