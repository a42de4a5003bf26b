// contract: topk --where "cols <= 64"
#include <cuda_runtime.h>
#include <utility>

// k rounds of a warp-wide maximum; a taken element is marked in a bit mask of its lane.
__global__ void topk_kernel(const float* x, float* y, int cols, int k) {
    const int lane = threadIdx.x;
    const float* row = x + (size_t)blockIdx.x * cols;
    unsigned taken = 0;
    for (int round = 0; round < k; ++round) {
        float best = 0.f;
        int where = -1;
        for (int c = lane, bit = 0; c < cols; c += 32, ++bit) {
            if (taken >> bit & 1u) continue;
            const float v = row[c];
            if (where < 0 || v > best || (isnan(v) && !isnan(best))) {
                best = v;
                where = c;
            }
        }
        for (int o = 16; o > 0; o >>= 1) {
            const float other = __shfl_xor_sync(0xffffffffu, best, o);
            const int at = __shfl_xor_sync(0xffffffffu, where, o);
            const bool better = at >= 0 && (where < 0 || other > best || (isnan(other) && !isnan(best)) ||
                                            ((other == best || (isnan(other) && isnan(best))) && at < where));
            if (better) {
                best = other;
                where = at;
            }
        }
        if (where % 32 == lane) taken |= 1u << (where / 32);
        if (lane == 0) y[(size_t)blockIdx.x * k + round] = best;
    }
}

void topk(const float* x, float* y, int rows, int cols, int k) {
    if (rows > 0 && k > 0) topk_kernel<<<rows, 32>>>(x, y, cols, k);
}
