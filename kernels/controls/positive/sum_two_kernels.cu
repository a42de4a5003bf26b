// control: positive
// contract: sum
#include <cuda_runtime.h>
#include <cstdint>

// Split each row over several blocks and add the partial sums in a second kernel, in a fixed order:
// the same bits on every run, which atomicAdd would not give.
constexpr int kChunk = 512;
constexpr int kThreads = 128;
constexpr int64_t kMaxPartials = 1 << 18;

__global__ void partial_sums(const float* __restrict__ x, float* __restrict__ partial, int64_t rows, int64_t cols,
                             int64_t chunks) {
    __shared__ float warp_sums[kThreads / 32];
    for (int64_t item = blockIdx.x; item < rows * chunks; item += gridDim.x) {
        const int64_t row = item / chunks, chunk = item % chunks;
        const int64_t begin = chunk * kChunk;
        const int64_t end = begin + kChunk < cols ? begin + kChunk : cols;
        float acc = 0.f;
        for (int64_t j = begin + threadIdx.x; j < end; j += kThreads) acc += x[row * cols + j];
        for (int o = 16; o; o >>= 1) acc += __shfl_xor_sync(0xffffffffu, acc, o);
        if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = acc;
        __syncthreads();
        if (threadIdx.x == 0) {
            float total = 0.f;
            for (int w = 0; w < kThreads / 32; ++w) total += warp_sums[w];
            partial[item] = total;
        }
        __syncthreads();  // before the next item reuses warp_sums
    }
}

__global__ void finish_sums(const float* __restrict__ partial, float* __restrict__ y, int64_t rows, int64_t chunks) {
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float total = 0.f;
    for (int64_t c = 0; c < chunks; ++c) total += partial[row * chunks + c];
    y[row] = total;
}

extern "C" int sum(const float* x, float* y, int64_t rows, int64_t cols) {
    if (rows == 0) return 0;
    const int64_t chunks = (cols + kChunk - 1) / kChunk;
    float* partial = nullptr;
    if (rows * chunks > kMaxPartials) return 3;  // not worth the scratch memory
    if (chunks > 0) {
        if (cudaMalloc(&partial, rows * chunks * sizeof(float)) != cudaSuccess) return 1;
        const int64_t items = rows * chunks;
        partial_sums<<<(unsigned)(items < 65536 ? items : 65536), kThreads>>>(x, partial, rows, cols, chunks);
    }
    finish_sums<<<(unsigned)((rows + 127) / 128), 128>>>(partial, y, rows, chunks);
    const cudaError_t status = cudaDeviceSynchronize();
    if (partial) cudaFree(partial);
    return status == cudaSuccess ? 0 : 2;
}
