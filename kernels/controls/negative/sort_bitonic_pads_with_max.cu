// control: negative
// contract: sort
// where: rows <= 8, cols <= 40
// gate: EXC-01
// also: EXC-02
// fault: the bitonic network pads with FLT_MAX, which stands before the row's infinities
#include <cuda_runtime.h>
#include <cfloat>
#include <cstdint>

__device__ __forceinline__ bool before(float a, float b) { return a < b || (isnan(b) && !isnan(a)); }

__global__ void sort_kernel(const float* __restrict__ x, float* __restrict__ y, int64_t cols) {
    __shared__ float s[64];
    const int t = threadIdx.x;
    s[t] = t < cols ? x[(int64_t)blockIdx.x * cols + t] : FLT_MAX;
    __syncthreads();
    for (int size = 2; size <= 64; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            const int other = t ^ stride;
            if (other > t) {
                const float low = s[t], high = s[other];
                const bool exchange = (t & size) == 0 ? before(high, low) : before(low, high);
                s[t] = exchange ? high : low;
                s[other] = exchange ? low : high;
            }
            __syncthreads();
        }
    if (t < cols) y[(int64_t)blockIdx.x * cols + t] = s[t];
}

void sort_rows(const float* x, float* y, int64_t rows, int64_t cols) {
    if (rows > 0 && cols > 0) sort_kernel<<<(unsigned)rows, 64>>>(x, y, cols);
}
