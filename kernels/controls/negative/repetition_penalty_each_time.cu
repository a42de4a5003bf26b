// control: negative
// contract: repetition_penalty
// gate: CMP-01
// also: CMP-03, EXC-02
// bind: repetition_penalty(x, ids, y, rows, vocab, k, penalty)
// fault: a token that occurs twice is penalised twice
#include <cuda_runtime.h>
#include <cstdint>

__global__ void penalty_kernel(const float* x, const int64_t* ids, float* y, int64_t rows, int64_t vocab, int64_t k,
                               float penalty) {
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= rows * vocab) return;
    const int64_t row = e / vocab;
    float v = x[e];
    for (int64_t j = row * k; j < (row + 1) * k; ++j)
        if (ids[j] == e % vocab) v = v < 0.f ? v * penalty : v / penalty;
    y[e] = v;
}

void repetition_penalty(const float* x, const int64_t* ids, float* y, int64_t rows, int64_t vocab, int64_t k,
                        float penalty) {
    if (rows * vocab > 0)
        penalty_kernel<<<(unsigned)((rows * vocab + 63) / 64), 64>>>(x, ids, y, rows, vocab, k, penalty);
}
