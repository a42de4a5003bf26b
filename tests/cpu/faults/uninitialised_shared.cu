// expect fast: not a number
#include <cmath>
#include <cstdio>
__global__ void k(float* out) {
  __shared__ float s[32];
  if (threadIdx.x > 0) s[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x == 0) *out = s[0];
}
int main() {
  float *out, host;
  cudaMalloc(&out, 4);
  k<<<1, 32>>>(out);
  cudaMemcpy(&host, out, 4, cudaMemcpyDeviceToHost);
  if (std::isnan(host)) std::puts("not a number");
  cudaFree(out);
}
