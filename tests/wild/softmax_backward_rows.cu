// contract: softmax_backward --bind "softmax_backward(dx, dy, x, rows, cols)"
#include <cuda_runtime.h>
#include <float.h>

// dL/dx = p * (dL/dy - sum(dL/dy * p)), where p is recomputed from the logits
template <unsigned int BlockSize>
__global__ void softmax_backward_kernel(float* dinp, const float* dout, const float* inp, long C) {
    __shared__ float shm[BlockSize];
    const float* x = inp + blockIdx.x * C;
    const float* dy = dout + blockIdx.x * C;
    const unsigned int t = threadIdx.x;

    auto reduce = [&](float v, auto op) {
        __syncthreads();
        shm[t] = v;
        __syncthreads();
#pragma unroll
        for (unsigned int s = BlockSize / 2; s > 0; s /= 2) {
            if (t < s) shm[t] = op(shm[t], shm[t + s]);
            __syncthreads();
        }
        return shm[0];
    };

    float m = -FLT_MAX;
    for (long c = t; c < C; c += BlockSize) m = fmaxf(m, x[c]);
    m = reduce(m, [](float a, float b) { return fmaxf(a, b); });
    float s = 0.f;
    for (long c = t; c < C; c += BlockSize) s += expf(x[c] - m);
    s = reduce(s, [](float a, float b) { return a + b; });
    float dot = 0.f;
    for (long c = t; c < C; c += BlockSize) dot += dy[c] * (expf(x[c] - m) / s);
    dot = reduce(dot, [](float a, float b) { return a + b; });
    for (long c = t; c < C; c += BlockSize) dinp[blockIdx.x * C + c] = expf(x[c] - m) / s * (dy[c] - dot);
}

extern "C" void softmax_backward(float* dinp, const float* dout, const float* inp, long N, long C) {
    if (N > 0) softmax_backward_kernel<128><<<N, 128>>>(dinp, dout, inp, C);
}
