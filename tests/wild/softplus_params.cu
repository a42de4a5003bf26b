// contract: softplus
#include <cuda_runtime.h>

// All arguments travel in one struct, as in kernels with long parameter lists.
struct SoftplusParams {
    const float *in;
    float       *out;
    size_t       n;
    float        beta;
    float        inv_beta;
    float        threshold;
};

__global__ void softplus_kernel(const SoftplusParams p) {
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= p.n) return;
    const float v = p.in[i];
    const float s = v * p.beta;
    p.out[i] = s > p.threshold ? v : log1pf(expf(s)) / p.beta;
}

void softplus(const float *input, float *output, size_t size, float beta, float threshold) {
    SoftplusParams params = {input, output, size, beta, 1.0f / beta, threshold};
    if (size == 0) return;
    dim3 block(192), grid((unsigned)((size + 191) / 192));
    void *args[] = {&params};
    cudaLaunchKernel((const void *)softplus_kernel, grid, block, args, 0, 0);
}
