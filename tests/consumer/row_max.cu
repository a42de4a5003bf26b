#include <cuda_runtime.h>

__global__ void row_max_kernel(const float* x, float* y, int cols) {
  __shared__ float best[128];
  const float* row = x + (size_t)blockIdx.x * cols;
  float m = row[0];
  for (int c = threadIdx.x; c < cols; c += blockDim.x) m = row[c] > m || isnan(row[c]) ? row[c] : m;
  best[threadIdx.x] = m;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) {
      const float other = best[threadIdx.x + s];
      if (other > best[threadIdx.x] || isnan(other)) best[threadIdx.x] = other;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = best[0];
}

extern "C" void row_max(const float* x, float* y, int rows, int cols) {
  if (rows > 0) row_max_kernel<<<rows, 128>>>(x, y, cols);
  cudaDeviceSynchronize();
}
