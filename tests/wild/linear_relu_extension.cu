// contract: linear_relu
// The launcher of a PyTorch extension, without PyTorch.
#include <cuda.h>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>

#define CUDA_KERNEL_LOOP(i, n) \
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < (n); i += (int64_t)blockDim.x * gridDim.x)

constexpr int CUDA_NUM_THREADS = 256;
constexpr int kMaxGridNum = 65535;

inline int GET_BLOCKS(const int64_t N) {
  const int64_t blocks = (N + CUDA_NUM_THREADS - 1) / CUDA_NUM_THREADS;
  return static_cast<int>(blocks < kMaxGridNum ? blocks : kMaxGridNum);
}

template <typename scalar_t>
__global__ void linear_relu_forward_kernel(const int64_t nthreads, const scalar_t* __restrict__ x,
                                           const scalar_t* __restrict__ weight, const scalar_t* __restrict__ bias,
                                           scalar_t* __restrict__ out, const int64_t in_features,
                                           const int64_t out_features) {
  CUDA_KERNEL_LOOP(index, nthreads) {
    const int64_t o = index % out_features;
    const scalar_t* xi = x + (index / out_features) * in_features;
    const scalar_t* wi = weight + o * in_features;
    scalar_t acc = scalar_t(0);
    for (int64_t f = 0; f < in_features; ++f) acc += xi[f] * wi[f];
    acc += bias[o];
    out[index] = acc < scalar_t(0) ? scalar_t(0) : acc;
  }
}

void linear_relu_forward_cuda(const float* x, const float* weight, const float* bias, float* out, int64_t m, int64_t n,
                              int64_t k, cudaStream_t stream) {
  const int64_t nthreads = m * n;
  if (nthreads == 0) return;
  linear_relu_forward_kernel<float>
      <<<GET_BLOCKS(nthreads), CUDA_NUM_THREADS, 0, stream>>>(nthreads, x, weight, bias, out, k, n);
}
