// control: negative
// contract: cross_entropy
// gate: CMP-01
// also: CMP-03
// bind: solve(x, t, loss, rows, classes, ignore)
// fault: the mean divides by all rows, the ignored ones too
#include <cuda_runtime.h>
#include <cstdint>
#include <math.h>

__global__ void cross_entropy_rows(const float* x, const int64_t* t, float* loss, int rows, int classes, int64_t ignore) {
    int lane = threadIdx.x;
    float total = 0.0f;
    for (int r = 0; r < rows; ++r) {
        if (t[r] == ignore) continue;
        const float* row = x + (size_t)r * classes;
        float m = -INFINITY;
        for (int c = lane; c < classes; c += 32) m = fmaxf(m, row[c]);
        for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, o));
        float s = 0.0f;
        for (int c = lane; c < classes; c += 32) s += expf(row[c] - m);
        for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffff, s, o);
        total += m + logf(s) - row[t[r]];
    }
    if (lane == 0) *loss = total / rows;
}

extern "C" void solve(const float* logits, const int64_t* labels, float* loss, int rows, int classes,
                      int64_t ignore_index) {
    cross_entropy_rows<<<1, 32>>>(logits, labels, loss, rows, classes, ignore_index);
    cudaDeviceSynchronize();
}
