// expect race: two threads of different blocks access allocated memory of 64 bytes.*read .*last_block_without_fence.cu:11, of .*not ordered after the write by .*last_block_without_fence.cu:6
#include <cstdio>
__device__ unsigned arrived;
__global__ void k(float* parts, float* out) {
  __shared__ bool last;
  parts[blockIdx.x] = blockIdx.x;
  last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
  if (!last) return;
  float sum = 0;
  for (int b = 0; b < int(gridDim.x); ++b)
    sum += parts[b];
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
