// control: negative
// contract: log_softmax
// gate: RES-01
// also: CMP-03, RES-02
// bind: log_softmax(x, y, rows, cols)
// fault: float4 loads at every row's start, which is 16-byte aligned only where cols % 4 == 0
#include <cuda_runtime.h>
#include <math.h>

__global__ void log_softmax_vec4(const float* x, float* y, int rows, int cols) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const float* in = x + (size_t)row * cols;
    float* out = y + (size_t)row * cols;
    const float4* in4 = reinterpret_cast<const float4*>(in);
    const int quads = cols / 4;
    float m = -INFINITY;
    for (int q = threadIdx.x; q < quads; q += 32) {
        m = fmaxf(fmaxf(m, in4[q].x), in4[q].y);
        m = fmaxf(fmaxf(m, in4[q].z), in4[q].w);
    }
    for (int j = 4 * quads + threadIdx.x; j < cols; j += 32) m = fmaxf(m, in[j]);
    for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, o));
    float s = 0.0f;
    for (int j = threadIdx.x; j < cols; j += 32) s += expf(in[j] - m);
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffff, s, o);
    const float l = logf(s);
    for (int j = threadIdx.x; j < cols; j += 32) out[j] = in[j] - m - l;
}

void log_softmax(const float* x, float* y, int rows, int cols) {
    if (rows == 0 || cols == 0) return;
    log_softmax_vec4<<<(rows - 1) / 4 + 1, dim3(32, 4)>>>(x, y, rows, cols);
}
