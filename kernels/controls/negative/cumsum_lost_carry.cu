// control: negative
// contract: cumsum
// gate: ORD-03
// also: CMP-01, CMP-03, ORD-01
// bind: solve(x, y, rows, cols)
// fault: the carry is replaced, not added to: from the third tile of 32 on the first tiles are lost
#include <cuda_runtime.h>

__global__ void cumsum_kernel(const float* in, float* out, int rows, int cols) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    const int lane = threadIdx.x;
    if (row >= rows) return;
    const float* x = in + (size_t)row * cols;
    float* y = out + (size_t)row * cols;
    float carry = 0.0f;
    for (int base = 0; base < cols; base += 32) {
        const int j = base + lane;
        float v = j < cols ? x[j] : 0.0f;
        for (int d = 1; d < 32; d <<= 1) {
            const float up = __shfl_up_sync(0xffffffff, v, d);
            if (lane >= d) v += up;
        }
        if (j < cols) y[j] = v + carry;
        carry = __shfl_sync(0xffffffff, v, 31);
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    if (rows == 0 || cols == 0) return;
    cumsum_kernel<<<(rows - 1) / 4 + 1, dim3(32, 4)>>>(input, output, rows, cols);
    cudaDeviceSynchronize();
}
