// control: positive
// contract: log_softmax
// bind: solve(x, y, rows, cols)
#include <cuda_runtime.h>
#include <math.h>

#define WARP_SIZE 32
#define BLOCK_DIM 128

__inline__ __device__ float warpReduceMax(float val) {
    for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2)
        val = fmaxf(val, __shfl_xor_sync(0xFFFFFFFF, val, offset));
    return val;
}

__inline__ __device__ float warpReduceSum(float val) {
    for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2)
        val += __shfl_xor_sync(0xFFFFFFFF, val, offset);
    return val;
}

__global__ void log_softmax_kernel(const float* input, float* output, int cols) {
    __shared__ float shared[WARP_SIZE];
    const float* in = input + (size_t)blockIdx.x * cols;
    float* out = output + (size_t)blockIdx.x * cols;
    const int lane = threadIdx.x % WARP_SIZE;
    const int wid = threadIdx.x / WARP_SIZE;
    const int warps = BLOCK_DIM / WARP_SIZE;

    float m = -INFINITY;
    for (int i = threadIdx.x; i < cols; i += BLOCK_DIM) m = fmaxf(m, in[i]);
    m = warpReduceMax(m);
    if (lane == 0) shared[wid] = m;
    __syncthreads();
    m = lane < warps ? shared[lane] : -INFINITY;
    m = warpReduceMax(m);
    __syncthreads();

    float s = 0.0f;
    for (int i = threadIdx.x; i < cols; i += BLOCK_DIM) s += expf(in[i] - m);
    s = warpReduceSum(s);
    if (lane == 0) shared[wid] = s;
    __syncthreads();
    s = lane < warps ? shared[lane] : 0.0f;
    s = warpReduceSum(s);

    const float log_sum = logf(s);
    for (int i = threadIdx.x; i < cols; i += BLOCK_DIM) out[i] = in[i] - m - log_sum;
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (rows <= 0 || cols <= 0) return;
    log_softmax_kernel<<<rows, BLOCK_DIM>>>(input, output, cols);
    cudaDeviceSynchronize();
}
