// contract: group_norm --bind "group_norm(y, x, w, b, n, ch, l, groups, eps)" --where "n * ch * l <= 2147483647"
#include <cuda_runtime.h>

#include <cstdio>

#define CUDA_TRY(expr)                                                                  \
    {                                                                                   \
        cudaError_t code = (expr);                                                      \
        if (code != cudaSuccess) {                                                      \
            std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(code)); \
            return (int)code;                                                           \
        }                                                                               \
    }

// Mean and reciprocal deviation of each group.
__global__ void stats_kernel(const float* x, float2* stats, int group_size, float eps) {
    __shared__ double sh[128];
    const float* g = x + (size_t)blockIdx.x * group_size;
    double s = 0;
    for (int i = threadIdx.x; i < group_size; i += blockDim.x) s += g[i];
    sh[threadIdx.x] = s;
    __syncthreads();
    for (int d = blockDim.x / 2; d; d /= 2) {
        if (threadIdx.x < d) sh[threadIdx.x] += sh[threadIdx.x + d];
        __syncthreads();
    }
    const double mean = sh[0] / group_size;
    __syncthreads();
    s = 0;
    for (int i = threadIdx.x; i < group_size; i += blockDim.x) s += (g[i] - mean) * (g[i] - mean);
    sh[threadIdx.x] = s;
    __syncthreads();
    for (int d = blockDim.x / 2; d; d /= 2) {
        if (threadIdx.x < d) sh[threadIdx.x] += sh[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        stats[blockIdx.x] = make_float2((float)mean, (float)(1.0 / sqrt(sh[0] / group_size + (double)eps)));
}

__global__ void apply_kernel(float* y, const float* x, const float2* stats, const float* w, const float* b,
                             int total, int ch, int l, int group_size) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x) {
        const float2 st = stats[i / group_size];
        const int c = i / l % ch;
        y[i] = (x[i] - st.x) * st.y * w[c] + b[c];
    }
}

// Statistics on one stream, normalisation on another; an event stands between them.
int group_norm(float* out, const float* x, const float* weight, const float* bias, int batch, int channels,
               int spatial, int groups, float eps) {
    const int total = batch * channels * spatial;
    if (total == 0) return 0;
    const int group_size = channels / groups * spatial;
    cudaStream_t first, second;
    cudaEvent_t ready;
    float2* stats = nullptr;
    CUDA_TRY(cudaStreamCreate(&first));
    CUDA_TRY(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CUDA_TRY(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
    CUDA_TRY(cudaMallocAsync(reinterpret_cast<void**>(&stats), sizeof(float2) * batch * groups, first));

    stats_kernel<<<batch * groups, 128, 0, first>>>(x, stats, group_size, eps);
    CUDA_TRY(cudaEventRecord(ready, first));
    CUDA_TRY(cudaStreamWaitEvent(second, ready, 0));
    const int blocks = (total + 255) / 256 < 512 ? (total + 255) / 256 : 512;
    apply_kernel<<<blocks, 256, 0, second>>>(out, x, stats, weight, bias, total, channels, spatial, group_size);

    CUDA_TRY(cudaStreamSynchronize(second));
    CUDA_TRY(cudaFreeAsync(stats, first));
    CUDA_TRY(cudaStreamSynchronize(first));
    CUDA_TRY(cudaEventDestroy(ready));
    CUDA_TRY(cudaStreamDestroy(first));
    CUDA_TRY(cudaStreamDestroy(second));
    return 0;
}
