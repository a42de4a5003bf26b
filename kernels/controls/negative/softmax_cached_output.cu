// control: negative
// contract: softmax
// gate: ORD-02
// also: CMP-01
// bind: solve(x, y, rows, cols)
// fault: the output is cached and returned again for any later input of the same shape
#include <cuda_runtime.h>
#include <math.h>

static float* cached = nullptr;
static int cached_rows = 0, cached_cols = 0;

__global__ void softmax_kernel(const float* in, float* out, int cols) {
    const float* x = in + (size_t)blockIdx.x * cols;
    float m = -INFINITY, s = 0.0f;
    for (int j = threadIdx.x; j < cols; j += 32) m = fmaxf(m, x[j]);
    for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, o));
    for (int j = threadIdx.x; j < cols; j += 32) s += expf(x[j] - m);
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffff, s, o);
    for (int j = threadIdx.x; j < cols; j += 32) out[(size_t)blockIdx.x * cols + j] = expf(x[j] - m) / s;
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (rows == 0 || cols == 0) return;
    const size_t bytes = (size_t)rows * cols * sizeof(float);
    if (cached != nullptr && rows == cached_rows && cols == cached_cols) {
        cudaMemcpy(output, cached, bytes, cudaMemcpyDeviceToDevice);
        return;
    }
    softmax_kernel<<<rows, 32>>>(input, output, cols);
    cudaDeviceSynchronize();
    if (cached != nullptr) cudaFree(cached);
    cudaMalloc(&cached, bytes);
    cudaMemcpy(cached, output, bytes, cudaMemcpyDeviceToDevice);
    cached_rows = rows;
    cached_cols = cols;
}
