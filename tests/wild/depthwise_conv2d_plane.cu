// contract: depthwise_conv2d --where "n <= 2, ch <= 6, h <= 20, w <= 20, kh <= 5, kw <= 5"
#include <cuda_runtime.h>

__global__ void depthwise_kernel(const float *in, const float *wgt, const float *bias, float *out,
                                 int C, int H, int W, int KH, int KW, int S, int P, int D, int OH, int OW)
{
    extern __shared__ float plane[];            // one input plane and its filter
    float *filt = plane + H * W;
    const int c = blockIdx.x % C;
    const float *src = in + (size_t)blockIdx.x * H * W;
    const int tid = threadIdx.y * blockDim.x + threadIdx.x;
    const int nthr = blockDim.x * blockDim.y;
    for (int i = tid; i < H * W; i += nthr) plane[i] = src[i];
    for (int i = tid; i < KH * KW; i += nthr) filt[i] = wgt[c * KH * KW + i];
    __syncthreads();
    float *dst = out + (size_t)blockIdx.x * OH * OW;
    for (int oy = threadIdx.y; oy < OH; oy += blockDim.y)
        for (int ox = threadIdx.x; ox < OW; ox += blockDim.x) {
            float v = 0.f;
            for (int r = 0; r < KH; ++r)
                for (int t = 0; t < KW; ++t) {
                    const int y = oy * S + r * D - P, x = ox * S + t * D - P;
                    if (0 <= y && y < H && 0 <= x && x < W)
                        v += plane[y * W + x] * filt[r * KW + t];
                }
            dst[oy * OW + ox] = v + bias[c];
        }
}

extern "C" void depthwise_conv2d(const float *x, const float *weight, const float *bias, float *y, int n, int ch, int h, int w,
                                 int kh, int kw, int stride, int padding, int dilation)
{
    const int oh = (h + 2 * padding - dilation * (kh - 1) - 1) / stride + 1;
    const int ow = (w + 2 * padding - dilation * (kw - 1) - 1) / stride + 1;
    if (n * ch == 0 || oh * ow <= 0) return;
    depthwise_kernel<<<n * ch, dim3(16, 4), (h * w + kh * kw) * sizeof(float)>>>(x, weight, bias, y, ch, h, w, kh, kw,
                                                                                 stride, padding, dilation, oh, ow);
}
