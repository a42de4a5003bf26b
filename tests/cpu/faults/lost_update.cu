// expect race: race: kernel k: two threads of one warp access allocated memory of 4 bytes, byte 0, .*read of 4 bytes by block .0,0,0., thread .62,0,0. at .*lost_update.cu:4, of 0x00000001 .1..*not ordered after the write by block .0,0,0., thread .63,0,0. at .*lost_update.cu:4
#include <cstdio>
__global__ void k(int* v) {
  v[0] = v[0] + 1;
}
int main() {
  int* v;
  cudaMalloc(&v, 4);
  cudaMemset(v, 0, 4);
  k<<<1, 64>>>(v);
  cudaFree(v);
}
