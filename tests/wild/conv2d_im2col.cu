// contract: conv2d --where "n <= 2, ci <= 6, co <= 6, h <= 16, w <= 16, kh <= 3, kw <= 3, groups == 1" --bind "conv2d_im2col(y, x, f, bias, n, ci, h, w, co, kh, kw, stride, padding, dilation)"
// Patches are unfolded into a scratch matrix, then multiplied.
#include <cuda_runtime.h>
#include <vector>

template <typename... Ints>
__host__ __device__ constexpr long product(Ints... v) { return (1L * ... * v); }

__global__ void im2col(const float* img, float* col, int ci, int h, int w, int kh, int kw, int stride, int pad, int dil,
                       int oh, int ow) {
    const long total = product(ci, kh, kw, oh, ow);
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < total; i += (long)gridDim.x * blockDim.x) {
        const int ox = i % ow, oy = i / ow % oh;
        const long k = i / (long(ow) * oh);
        const int s = k % kw, r = k / kw % kh, c = k / (kw * kh);
        const int y = oy * stride - pad + r * dil, x = ox * stride - pad + s * dil;
        col[i] = (unsigned)y < (unsigned)h && (unsigned)x < (unsigned)w ? img[(long(c) * h + y) * w + x] : 0.f;
    }
}

__global__ void gemm_bias(const float* f, const float* col, const float* bias, float* out, int m, long n, long k) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= m * n) return;
    const long row = i / n, column = i % n;
    float acc = 0.f;
    for (long p = 0; p < k; ++p) acc += f[row * k + p] * col[p * n + column];
    out[i] = acc + bias[row];
}

void conv2d_im2col(float* y, const float* x, const float* f, const float* bias, int n, int ci, int h, int w, int co,
                   int kh, int kw, int stride, int padding, int dilation) {
    const int oh = (h + 2 * padding - dilation * (kh - 1) - 1) / stride + 1;
    const int ow = (w + 2 * padding - dilation * (kw - 1) - 1) / stride + 1;
    if (product(n, co, oh, ow) == 0) return;
    const long k = product(ci, kh, kw), cells = product(oh, ow);

    std::vector<cudaStream_t> streams(2);
    std::vector<float*> scratch(2, nullptr);
    for (auto& s : streams) cudaStreamCreate(&s);
    for (auto& p : scratch) cudaMalloc(&p, k * cells * sizeof(float));
    for (int b = 0; b < n; ++b) {
        cudaStream_t s = streams[b % 2];
        float* col = scratch[b % 2];
        im2col<<<(k * cells + 255) / 256, 256, 0, s>>>(x + product(b, ci, h, w), col, ci, h, w, kh, kw, stride, padding,
                                                      dilation, oh, ow);
        gemm_bias<<<(co * cells + 127) / 128, 128, 0, s>>>(f, col, bias, y + product(b, co, oh, ow), co, cells, k);
    }
    for (auto s : streams) {
        cudaStreamSynchronize(s);
        cudaStreamDestroy(s);
    }
    for (auto p : scratch) cudaFree(p);
}
