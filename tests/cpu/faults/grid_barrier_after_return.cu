// expect fast: deadlock: kernel .*blocks of the grid have returned and do not come to this barrier
#include <cooperative_groups.h>
__global__ void k(int* out) {
  if (blockIdx.x == 2) return;
  cooperative_groups::this_grid().sync();
  out[threadIdx.x] = 1;
}
int main() {
  int* out;
  cudaMalloc(&out, 256);
  void* arguments[] = {&out};
  return cudaLaunchCooperativeKernel((void*)k, dim3(4), dim3(64), arguments, 0, 0);
}
