// expect fast: invalid warp mask: .*with mask 0x0000000[37], while lanes 0x[0-9a-f]* wait at __shfl_sync with mask 0x0000000[37]
__global__ void k(int* out) {
  const unsigned mask = threadIdx.x == 0 ? 0x3 : 0x7;
  out[threadIdx.x] = __shfl_sync(mask, 1, 0);
}
int main() {
  int* out;
  cudaMalloc(&out, 256);
  k<<<1, 3>>>(out);
  return cudaDeviceSynchronize();
}
