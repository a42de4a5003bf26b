// contract: cross_entropy_none
#include <cuda_runtime.h>
#include <stdint.h>

struct SoftmaxParams {
    float Scale;
    float Offset;
};

// Online maximum and sum, a warp a row.
__device__ SoftmaxParams prepare_softmax_warp(int64_t idx, const float* inp, int64_t V) {
    const float* x = inp + idx * V;
    float thread_maxval = -INFINITY;
    float thread_sumval = 0.0f;
    for (int64_t i = threadIdx.x; i < V; i += 32) {
        const float v = x[i];
        const float old = thread_maxval;
        thread_maxval = fmaxf(thread_maxval, v);
        if (thread_maxval == -INFINITY) continue;
        thread_sumval = thread_sumval * (old == -INFINITY ? 0.f : expf(old - thread_maxval)) + expf(v - thread_maxval);
    }
    float maxval = thread_maxval;
    for (int o = 16; o > 0; o >>= 1) maxval = fmaxf(maxval, __shfl_xor_sync(0xffffffffu, maxval, o));
    if (thread_maxval != -INFINITY) thread_sumval *= expf(thread_maxval - maxval);
    float sum = thread_sumval;
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    bool seen_nan = false;
    for (int64_t i = threadIdx.x; i < V; i += 32) seen_nan |= isnan(x[i]);
    if (__any_sync(0xffffffffu, seen_nan)) sum = NAN;
    return SoftmaxParams{sum, maxval};
}

__global__ void crossentropy_kernel(float* losses, const float* logits, const int64_t* targets, int64_t V, int64_t ignore_index) {
    const int64_t idx = blockIdx.x;
    const int64_t ix = targets[idx];
    if (ix == ignore_index) {
        if (threadIdx.x == 0) losses[idx] = 0.0f;
        return;
    }
    SoftmaxParams sp = prepare_softmax_warp(idx, logits, V);
    if (threadIdx.x == 0) losses[idx] = -(logits[idx * V + ix] - sp.Offset - logf(sp.Scale));
}

void crossentropy_forward(float* losses, const float* logits, const int64_t* targets, int64_t rows, int64_t classes, int64_t ignore_index) {
    if (rows > 0) crossentropy_kernel<<<rows, 32>>>(losses, logits, targets, classes, ignore_index);
}
