// control: negative
// contract: cross_entropy
// gate: CMP-01
// also: CMP-03, EXC-01
// bind: cross_entropy(x, t, loss, rows, classes, ignore)
// fault: log(sum(exp(x))) without the maximum overflows
#include <cuda_runtime.h>
#include <cstdint>

__global__ void ce_kernel(const float* logits, const int64_t* target, float* loss, int rows, int classes,
                          int64_t ignore) {
    __shared__ float sum[128];
    __shared__ float cnt[128];
    float total = 0.0f, n = 0.0f;
    for (int r = threadIdx.x; r < rows; r += 128) {
        if (target[r] == ignore) continue;
        const float* x = logits + (int64_t)r * classes;
        float s = 0.0f;
        for (int c = 0; c < classes; ++c) s += expf(x[c]);
        total += logf(s) - x[target[r]];
        n += 1.0f;
    }
    sum[threadIdx.x] = total;
    cnt[threadIdx.x] = n;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int t = 1; t < 128; ++t) {
            sum[0] += sum[t];
            cnt[0] += cnt[t];
        }
        loss[0] = sum[0] / cnt[0];
    }
}

void cross_entropy(const float* logits, const int64_t* target, float* loss, int rows, int classes, int64_t ignore) {
    ce_kernel<<<1, 128>>>(logits, target, loss, rows, classes, ignore);
    cudaDeviceSynchronize();
}
