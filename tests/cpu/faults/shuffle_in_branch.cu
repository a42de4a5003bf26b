// expect fast: invalid warp mask: .*no thread of the block can go on.*8 threads wait at a warp operation .__shfl_down_sync, mask 0xffffffff, arrived 0x000000ff
__global__ void k(int* out) {
  int v = threadIdx.x;
  if (threadIdx.x < 8) v += __shfl_down_sync(0xffffffff, v, 4);
  __syncthreads();
  out[threadIdx.x] = v;
}
int main() {
  int* out;
  cudaMalloc(&out, 256);
  k<<<1, 32>>>(out);
  return cudaDeviceSynchronize();
}
