// expect race: uninitialised read: kernel k, block .0,0,0., thread .8,0,0.: read of 4 bytes of allocated memory of 64 bytes, byte 32, which nobody has written.*at .*unwritten_scratch.cu:4
#include <cstdio>
__global__ void k(const float* scratch, float* out) {
  if (threadIdx.x != 9) out[threadIdx.x] = scratch[threadIdx.x];
}
int main() {
  float *scratch, *out;
  cudaMalloc(&scratch, 64);
  cudaMalloc(&out, 64);
  cudaMemset(scratch, 0, 32);
  k<<<1, 9>>>(scratch, out);
  cudaFree(scratch);
  cudaFree(out);
}
