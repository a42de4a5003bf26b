// expect fast: invalid warp mask: .*while lanes 0x0000000[12] wait at __(ballot|shfl)_sync
__global__ void k(unsigned* out) {
  if (threadIdx.x == 0)
    out[0] = __ballot_sync(0x3, 1);
  else
    out[1] = __shfl_sync(0x3, 5, 0);
}
int main() {
  unsigned* out;
  cudaMalloc(&out, 256);
  k<<<1, 2>>>(out);
  return cudaDeviceSynchronize();
}
