// expect fast: differs
#include <cuda_pipeline.h>

#include <cstdio>
__global__ void k(const int* in, int* out) {
  __shared__ int s[64];
  __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], 4);
  __pipeline_commit();
  __syncthreads();
  out[threadIdx.x] = s[63 - threadIdx.x];
}
int main() {
  int *in, *out, host[64] = {};
  cudaMalloc(&in, 256);
  cudaMalloc(&out, 256);
  cudaMemcpy(in, host, 256, cudaMemcpyHostToDevice);
  k<<<1, 64>>>(in, out);
  cudaMemcpy(host, out, 256, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 64; ++i)
    if (host[i] != 0) std::puts("differs");
  cudaFree(in);
  cudaFree(out);
}
