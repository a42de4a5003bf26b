#include <cuda_runtime.h>

extern "C" void solve(const float* x, float* y, int n) {
  *(volatile int*)16 = 1;
  for (int i = 0; i < n; ++i) y[i] = x[i] > 0 ? x[i] : 0;
}
