// contract: argmax
#include <cuda_runtime.h>
#include <stdint.h>

typedef unsigned long long ull;

// Value in the high word, complement of the index in the low one: the maximum of the keys is the first maximum.
__device__ inline ull make_key(float v, unsigned idx) {
    unsigned u;
    if (v != v) {
        u = 0xffffffffu;
    } else {
        u = __float_as_uint(v + 0.0f);  // -0 becomes +0, for the two are a tie
        u = (u >> 31) ? ~u : (u | 0x80000000u);
    }
    return ((ull)u << 32) | (ull)(0xffffffffu - idx);
}

__global__ void argmax_kernel(const float* __restrict__ in, int64_t* __restrict__ out, int64_t n) {
    __shared__ ull best;
    if (threadIdx.x == 0) best = 0ull;
    __syncthreads();
    const float* row = in + blockIdx.x * n;
    ull mine = 0ull;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
        ull key = make_key(row[i], (unsigned)i);
        mine = key > mine ? key : mine;
    }
    for (int d = 16; d > 0; d >>= 1) {
        ull other = __shfl_down_sync(0xffffffff, mine, d);
        mine = other > mine ? other : mine;
    }
    if ((threadIdx.x & 31) == 0) atomicMax(&best, mine);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = (int64_t)(0xffffffffu - (unsigned)(best & 0xffffffffull));
}

void argmax_rows(const float* in, int64_t* out, int64_t num_rows, int64_t num_cols, cudaStream_t s) {
    if (num_rows > 0) argmax_kernel<<<num_rows, 128, 0, s>>>(in, out, num_cols);
}
