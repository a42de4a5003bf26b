// control: positive
// contract: repetition_penalty
// bind: repetition_penalty(x, ids, y, rows, vocab, k, penalty)
#include <cuda_runtime.h>
#include <cstdint>

__global__ void penalty_kernel(const float* __restrict__ x, const int64_t* __restrict__ ids, float* __restrict__ y,
                               int64_t rows, int64_t vocab, int64_t k, float penalty) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= rows * vocab) return;
    const int64_t row = e / vocab;
    bool seen = false;
    for (int64_t j = row * k; j < (row + 1) * k && !seen; ++j) seen = ids[j] == e % vocab;
    const float v = x[e];
    y[e] = !seen ? v : v < 0.f ? v * penalty : v / penalty;
}

void repetition_penalty(const float* x, const int64_t* ids, float* y, int64_t rows, int64_t vocab, int64_t k,
                        float penalty) {
    if (rows * vocab > 0)
        penalty_kernel<<<(unsigned)((rows * vocab + 63) / 64), 64>>>(x, ids, y, rows, vocab, k, penalty);
}
