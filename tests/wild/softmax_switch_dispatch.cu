// contract: softmax
// Block size chosen at run time among compiled ones; the row lives in dynamic shared memory where it fits.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#define CHECK(x)                         \
    if (cudaError_t e = (x); e != cudaSuccess) return e;

enum class ReduceOp { kMax, kSum };

template <ReduceOp op>
__device__ __forceinline__ float combine(float a, float b) {
    if constexpr (op == ReduceOp::kMax) return fmaxf(a, b);
    else return a + b;
}

template <ReduceOp op, int kThreads>
__device__ float block_reduce(float v, float* red) {
    static_assert(kThreads % 32 == 0);
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1) v = combine<op>(v, __shfl_xor_sync(0xffffffffu, v, mask, 32));
    if constexpr (kThreads > 32) {
        const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
        __syncthreads();
        if (lane == 0) red[warp] = v;
        __syncthreads();
        v = red[0];
#pragma unroll
        for (int w = 1; w < kThreads / 32; ++w) v = combine<op>(v, red[w]);
    }
    return v;
}

template <int kThreads, bool kCached>
__global__ __launch_bounds__(kThreads) void softmax_kernel(const float* __restrict__ in, float* __restrict__ out,
                                                           int64_t cols) {
    extern __shared__ __align__(16) unsigned char smem[];
    float* red = reinterpret_cast<float*>(smem);
    float* cache = red + 32;
    in += blockIdx.x * cols;
    out += blockIdx.x * cols;

    float m = -INFINITY;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
        const float v = in[c];
        if constexpr (kCached) cache[c] = v;
        m = fmaxf(m, v);
    }
    m = block_reduce<ReduceOp::kMax, kThreads>(m, red);
    float s = 0.f;
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
        if constexpr (kCached) {
            const float e = expf(cache[c] - m);
            cache[c] = e;
            s += e;
        } else {
            s += expf(in[c] - m);
        }
    }
    s = block_reduce<ReduceOp::kSum, kThreads>(s, red);
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
        if constexpr (kCached) out[c] = cache[c] / s;
        else out[c] = expf(in[c] - m) / s;
    }
}

template <int kThreads>
static cudaError_t launch(const float* in, float* out, int64_t rows, int64_t cols, cudaStream_t stream) {
    constexpr int64_t kMostCached = 24000;
    if (cols <= kMostCached) {
        auto kernel = softmax_kernel<kThreads, true>;
        const int bytes = int((cols + 32) * sizeof(float));
        CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
        kernel<<<(unsigned)rows, kThreads, bytes, stream>>>(in, out, cols);
    } else {
        softmax_kernel<kThreads, false><<<(unsigned)rows, kThreads, 32 * sizeof(float), stream>>>(in, out, cols);
    }
    return cudaGetLastError();
}

cudaError_t softmax(const float* input, float* output, int64_t rows, int64_t cols, cudaStream_t stream) {
    if (rows == 0) return cudaSuccess;
    int threads = 32;
    while (threads < 256 && threads * 4 < cols) threads *= 2;
    switch (threads) {
        case 32: return launch<32>(input, output, rows, cols, stream);
        case 64: return launch<64>(input, output, rows, cols, stream);
        case 128: return launch<128>(input, output, rows, cols, stream);
        default: return launch<256>(input, output, rows, cols, stream);
    }
}
