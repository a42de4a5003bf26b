// expect race: not ordered after the atomic operation by block .0,0,0., thread .[0-9]*,0,0. at
// .*atomic_and_plain.cu:7 A sum is read before all have added to it.
#include <cstdio>
__global__ void k(int* v) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads(), atomicAdd(&sum, 1);
  if (threadIdx.x == 0) *v = sum;
}
int main() {
  int* v;
  cudaMalloc(&v, 4);
  k<<<1, 64>>>(v);
  cudaFree(v);
}
