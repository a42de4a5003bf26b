// Reads far out of bounds at n == 64: bench/gpu/latency.cpp measures how soon the next case runs.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const long far = n == 64 ? 1L << 40 : 0;
  if (i < n) y[i] = fmaxf(x[i + far], 0.0f);
}

extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<(n + 127) / 128, 128>>>(x, y, n);
  cudaDeviceSynchronize();
}
