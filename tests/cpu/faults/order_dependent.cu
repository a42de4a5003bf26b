// expect fast: differs
#include <cstdio>
__global__ void k(int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = s[63 - threadIdx.x];
}
int main() {
  int *out, host[64];
  cudaMalloc(&out, 256);
  k<<<1, 64>>>(out);
  cudaMemcpy(host, out, 256, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 64; ++i)
    if (host[i] != 63 - i) std::puts("differs");
  cudaFree(out);
}
