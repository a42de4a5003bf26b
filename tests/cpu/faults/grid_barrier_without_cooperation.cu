// expect fast: finding: launch error: .*a barrier of the grid in a kernel that was not launched with
#include <cooperative_groups.h>
__global__ void k(int* out) {
  cooperative_groups::this_grid().sync();
  out[threadIdx.x] = 1;
}
int main() {
  int* out;
  cudaMalloc(&out, 256);
  k<<<2, 64>>>(out);
  return cudaDeviceSynchronize();
}
