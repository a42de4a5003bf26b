// contract: var --bind "row_variance(y, x, rows, cols, correction)"
#include <cuda_runtime.h>
#include <cstddef>

#define FULL 0xFFFFFFFFU

template <typename T>
__inline__ __device__ T warpAllReduceSum(T val) {
  for (int mask = warpSize / 2; mask > 0; mask /= 2) val += __shfl_xor_sync(FULL, val, mask);
  return val;
}

template <typename T>
__inline__ __device__ T blockAllReduceSum(T val) {
  static __shared__ T shared[32];
  const int lane = threadIdx.x % warpSize;
  const int wid = threadIdx.x / warpSize;
  val = warpAllReduceSum(val);
  __syncthreads();
  if (lane == 0) shared[wid] = val;
  __syncthreads();
  val = lane < blockDim.x / warpSize ? shared[lane] : T(0);
  return warpAllReduceSum(val);
}

__global__ void variance_kernel(float* out, const float* in, size_t n, int ddof) {
  const float* x = in + blockIdx.x * n;
  double s = 0.0;
  for (size_t i = threadIdx.x; i < n; i += blockDim.x) s += static_cast<double>(x[i]);
  const double mean = blockAllReduceSum(s) / static_cast<double>(n);
  double q = 0.0;
  for (size_t i = threadIdx.x; i < n; i += blockDim.x) {
    const double d = x[i] - mean;
    q += d * d;
  }
  q = blockAllReduceSum(q);
  if (threadIdx.x == 0) out[blockIdx.x] = static_cast<float>(q / fmax(0.0, static_cast<double>(n) - ddof));
}

extern "C" void row_variance(float* out, const float* in, size_t rows, size_t n, int ddof) {
  if (rows) variance_kernel<<<static_cast<unsigned>(rows), 96>>>(out, in, n, ddof);
}
