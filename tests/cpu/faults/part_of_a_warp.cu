// expect race: two threads of one warp access static shared memory
// Half of the warp synchronises, and the other half reads.
#include <cstdio>
__global__ void k(int* v) {
  __shared__ int s[32];
  s[threadIdx.x] = threadIdx.x;
  if (threadIdx.x < 16) __syncwarp(0xffffu);
  v[threadIdx.x] = s[threadIdx.x ^ 16];
}
int main() {
  int* v;
  cudaMalloc(&v, 128);
  k<<<1, 32>>>(v);
  cudaFree(v);
}
