// contract: rms_norm_backward
#include <cuda_runtime.h>

#include <cstdint>
#include <memory>

struct CudaFree {
    void operator()(float* p) const { cudaFree(p); }
};
using DeviceBuffer = std::unique_ptr<float, CudaFree>;

static DeviceBuffer make_buffer(std::size_t count) {
    float* p = nullptr;
    cudaMalloc(&p, count * sizeof(float));
    return DeviceBuffer(p);
}

__inline__ __device__ float warp_sum(float v) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

// A warp a row writes dx and keeps the reciprocal of the root mean square.
__global__ void dx_kernel(const float* x, const float* w, const float* dy, float* dx, float* rstd, int64_t rows, int64_t cols, float eps) {
    const int64_t r = blockIdx.x * int64_t(blockDim.y) + threadIdx.y;
    if (r >= rows) return;
    x += r * cols, dy += r * cols, dx += r * cols;
    float ss = 0.f;
    for (int64_t c = threadIdx.x; c < cols; c += 32) ss += x[c] * x[c];
    const float rs = rsqrtf(warp_sum(ss) / cols + eps);
    float dot = 0.f;
    for (int64_t c = threadIdx.x; c < cols; c += 32) dot += dy[c] * w[c] * (x[c] * rs);
    dot = warp_sum(dot) / cols;
    for (int64_t c = threadIdx.x; c < cols; c += 32) dx[c] = rs * (dy[c] * w[c] - x[c] * rs * dot);
    if (threadIdx.x == 0) rstd[r] = rs;
}

__global__ void dw_kernel(const float* x, const float* dy, const float* rstd, float* dw, int64_t rows, int64_t cols) {
    const int64_t c = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (c >= cols) return;
    float acc = 0.f;
    for (int64_t r = 0; r < rows; ++r) acc += dy[r * cols + c] * (x[r * cols + c] * rstd[r]);
    dw[c] = acc;
}

void rms_norm_backward(const float* x, const float* weight, const float* dy, float* dx, float* dweight, int64_t rows,
                       int64_t cols, float eps) {
    const DeviceBuffer rstd = make_buffer(rows);
    if (rows > 0) dx_kernel<<<(rows + 3) / 4, dim3(32, 4)>>>(x, weight, dy, dx, rstd.get(), rows, cols, eps);
    dw_kernel<<<(cols + 127) / 128, 128>>>(x, dy, rstd.get(), dweight, rows, cols);
}
