// contract: sort --where "cols <= 128"
#include <cuda_runtime.h>

#define N_PAD 128

__device__ __forceinline__ bool less_nan_last(float a, float b) { return a < b || (isnan(b) && !isnan(a)); }

__global__ void bitonic_sort(const float* in, float* out, int n) {
    __shared__ float s[N_PAD];
    const int tid = threadIdx.x;
    const float pad = __int_as_float(0x7fffffff);
    s[tid] = tid < n ? in[blockIdx.x * (size_t)n + tid] : pad;
    __syncthreads();
    for (int k = 2; k <= N_PAD; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1) {
            const int ixj = tid ^ j;
            if (ixj > tid) {
                const bool ascending = (tid & k) == 0;
                const float a = s[tid], b = s[ixj];
                if (ascending ? less_nan_last(b, a) : less_nan_last(a, b)) {
                    s[tid] = b;
                    s[ixj] = a;
                }
            }
            __syncthreads();
        }
    if (tid < n) out[blockIdx.x * (size_t)n + tid] = s[tid];
}

extern "C" void sort_rows(const float* input, float* output, int rows, int cols) {
    if (rows > 0 && cols > 0) bitonic_sort<<<rows, N_PAD>>>(input, output, cols);
}
