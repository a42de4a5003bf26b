// control: positive
// contract: cross_entropy
// bind: solve(x, t, loss, rows, classes, ignore)
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>
#include <cmath>

__device__ float value(float v) { return v; }
__device__ float value(__half v) { return __half2float(v); }
__device__ void result(float* p, float v) { *p = v; }
__device__ void result(__half* p, float v) { *p = __float2half(v); }

// Small batches: a single block walks over the rows, a warp each, and no scratch memory is needed.
template <typename T>
__global__ void cross_entropy_kernel(const T* logits, const int64_t* target, T* loss, int N, int C, int64_t ignore) {
    const int kWarps = 8;
    __shared__ float total[kWarps];
    __shared__ int kept[kWarps];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float my_total = 0.0f;
    int my_kept = 0;
    for (int64_t r = warp; r < N; r += kWarps) {
        const int64_t t = target[r];
        if (t == ignore) continue;
        const T* x = logits + r * C;
        float m = -INFINITY;
        for (int j = lane; j < C; j += 32) m = fmaxf(m, value(x[j]));
        for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
        float s = 0.0f;
        for (int j = lane; j < C; j += 32) s += expf(value(x[j]) - m);
        for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
        my_total += logf(s) - (value(x[t]) - m);
        ++my_kept;
    }
    if (lane == 0) {
        total[warp] = my_total;
        kept[warp] = my_kept;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0.0f;
        int count = 0;
        for (int w = 0; w < kWarps; ++w) {
            sum += total[w];
            count += kept[w];
        }
        result(loss, sum / (float)count);
    }
}

void solve(const float* logits, const int64_t* target, float* loss, int N, int C, int64_t ignore_index) {
    cross_entropy_kernel<<<1, 256>>>(logits, target, loss, N, C, ignore_index);
}
void solve(const __half* logits, const int64_t* target, __half* loss, int N, int C, int64_t ignore_index) {
    cross_entropy_kernel<<<1, 256>>>(logits, target, loss, N, C, ignore_index);
}
