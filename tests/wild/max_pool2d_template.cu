// contract: max_pool2d --where "h <= 64, w <= 64, n * c <= 16"
#include <cuda_runtime.h>

#include <cmath>

namespace pool {

template <int K>  // 0: known at run time only
__global__ void max_pool2d_kernel(const float* __restrict__ in, float* __restrict__ out, int planes, int h, int w,
                                  int oh, int ow, int kernel, int stride, int padding) {
    const int k = K > 0 ? K : kernel;
    const int total = planes * oh * ow;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += blockDim.x * gridDim.x) {
        const int x = i % ow, y = i / ow % oh, p = i / (ow * oh);
        const float* plane = in + p * h * w;
        float best = -INFINITY;
        for (int r = max(0, y * stride - padding); r < min(h, y * stride - padding + k); ++r)
            for (int c = max(0, x * stride - padding); c < min(w, x * stride - padding + k); ++c) {
                const float v = plane[r * w + c];
                if (v > best || isnan(v)) best = v;
            }
        out[i] = best;
    }
}

}  // namespace pool

void max_pool2d(const float* input, float* output, int n, int c, int h, int w, int kernel, int stride, int padding) {
    const int oh = (h + 2 * padding - kernel) / stride + 1, ow = (w + 2 * padding - kernel) / stride + 1;
    const int total = n * c * oh * ow;
    if (total <= 0) return;
    const int grid = (total + 127) / 128;
    switch (kernel) {
        case 2: pool::max_pool2d_kernel<2><<<grid, 128>>>(input, output, n * c, h, w, oh, ow, kernel, stride, padding); break;
        case 3: pool::max_pool2d_kernel<3><<<grid, 128>>>(input, output, n * c, h, w, oh, ow, kernel, stride, padding); break;
        default: pool::max_pool2d_kernel<0><<<grid, 128>>>(input, output, n * c, h, w, oh, ow, kernel, stride, padding);
    }
}
