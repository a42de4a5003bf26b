// contract: log_softmax
#include <cub/cub.cuh>
#include <cuda/functional>
#include <cuda_runtime.h>

constexpr int kBlock = 128;

__global__ void log_softmax_kernel(const float* logits, float* out, long cols) {
    using Reduce = cub::BlockReduce<float, kBlock>;
    __shared__ typename Reduce::TempStorage temp;
    __shared__ float shared_max, shared_log;

    const float* x = logits + blockIdx.x * cols;
    float* y = out + blockIdx.x * cols;

    float m = -INFINITY;
    for (long c = threadIdx.x; c < cols; c += kBlock) m = max(m, x[c]);
    m = Reduce(temp).Reduce(m, cuda::maximum<>{});
    if (threadIdx.x == 0) shared_max = m;
    __syncthreads();

    float s = 0.0f;
    for (long c = threadIdx.x; c < cols; c += kBlock) s += expf(x[c] - shared_max);
    s = Reduce(temp).Sum(s);
    if (threadIdx.x == 0) shared_log = logf(s);
    __syncthreads();

    for (long c = threadIdx.x; c < cols; c += kBlock) y[c] = x[c] - shared_max - shared_log;
}

void log_softmax(const float* logits, float* out, long batch, long num_classes) {
    if (batch) log_softmax_kernel<<<batch, kBlock>>>(logits, out, num_classes);
}
