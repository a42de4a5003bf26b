// expect fast: invalid warp mask: .*__shfl_xor_sync with mask 0x0000ffff, which does not name the calling lane.*caller_not_in_mask.cu:4
__global__ void k(int* out) {
  int v = threadIdx.x;
  v += __shfl_xor_sync(0x0000ffff, v, 1);
  out[threadIdx.x] = v;
}
int main() {
  int* out;
  cudaMalloc(&out, 256);
  k<<<1, 32>>>(out);
  return cudaDeviceSynchronize();
}
