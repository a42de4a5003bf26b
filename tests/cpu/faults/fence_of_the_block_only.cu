// expect race: two threads of different blocks access allocated memory of 64 bytes
#include <cstdio>
__device__ unsigned arrived;
__global__ void k(float* parts, float* out) {
  parts[blockIdx.x] = blockIdx.x;
  __threadfence_block();
  if (atomicInc(&arrived, gridDim.x - 1) != gridDim.x - 1) return;
  float sum = 0;
  for (int b = 0; b < int(gridDim.x); ++b) sum += parts[b];
  *out = sum;
}
int main() {
  float *parts, *out;
  cudaMalloc(&parts, 64);
  cudaMalloc(&out, 4);
  k<<<4, 1>>>(parts, out);
  cudaFree(parts);
  cudaFree(out);
}
