#include <cuda_runtime.h>

__global__ void wait_for_ever(const float* x, float* y, int n) {
  volatile int done = 0;
  while (!done) {
  }
  y[0] = x[0] * n;
}

extern "C" void solve(const float* x, float* y, int n) {
  wait_for_ever<<<1, 1>>>(x, y, n);
  cudaDeviceSynchronize();
}
