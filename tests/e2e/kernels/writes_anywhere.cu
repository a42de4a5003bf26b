#include <cuda_runtime.h>
#include <stdint.h>

__global__ void scatter(const float* x, float* y, int n) {
  uint64_t state = 88172645463325252u + threadIdx.x;
  for (int i = 0; i < 1000; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    *(volatile float*)(state & 0x7ffffffffffcull) = x[0] + n;
  }
}

extern "C" void solve(const float* x, float* y, int n) {
  scatter<<<1, 32>>>(x, y, n);
  cudaDeviceSynchronize();
}
