// control: positive
// contract: softmax_backward
// bind: solve(x, dy, dx, rows, cols)
#include <cuda_runtime.h>
#include <math.h>

#define NT 128

__device__ float reduce_max(float v, float* sh) {
    sh[threadIdx.x] = v;
    __syncthreads();
    for (int s = NT / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) sh[threadIdx.x] = fmaxf(sh[threadIdx.x], sh[threadIdx.x + s]);
        __syncthreads();
    }
    float r = sh[0];
    __syncthreads();
    return r;
}

__device__ float reduce_sum(float v, float* sh) {
    sh[threadIdx.x] = v;
    __syncthreads();
    for (int s = NT / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) sh[threadIdx.x] += sh[threadIdx.x + s];
        __syncthreads();
    }
    float r = sh[0];
    __syncthreads();
    return r;
}

// dx = y * (dy - sum(dy * y)), with y = softmax(logits) computed again from the logits
__global__ void softmax_backward_kernel(const float* logits, const float* grad_output, float* grad_input, int cols) {
    __shared__ float sh[NT];
    const size_t base = (size_t)blockIdx.x * cols;
    const float* x = logits + base;
    const float* dy = grad_output + base;
    float* dx = grad_input + base;

    float m = -INFINITY;
    for (int j = threadIdx.x; j < cols; j += NT) m = fmaxf(m, x[j]);
    m = reduce_max(m, sh);
    float s = 0.0f;
    for (int j = threadIdx.x; j < cols; j += NT) s += expf(x[j] - m);
    s = reduce_sum(s, sh);
    float dot = 0.0f;
    for (int j = threadIdx.x; j < cols; j += NT) dot += dy[j] * (expf(x[j] - m) / s);
    dot = reduce_sum(dot, sh);
    for (int j = threadIdx.x; j < cols; j += NT) dx[j] = (expf(x[j] - m) / s) * (dy[j] - dot);
}

extern "C" void solve(const float* logits, const float* grad_output, float* grad_input, int rows, int cols) {
    if (rows == 0 || cols == 0) return;
    softmax_backward_kernel<<<rows, NT>>>(logits, grad_output, grad_input, cols);
    cudaDeviceSynchronize();
}
