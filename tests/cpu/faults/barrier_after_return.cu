// expect fast: barrier in divergent code: kernel k, .* 24 of 64 threads of the block have returned.*barrier_after_return.cu:5
__global__ void k(int* out, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  __syncthreads();
  out[i] = i;
}
int main() {
  int* out;
  cudaMalloc(&out, 256);
  k<<<1, 64>>>(out, 40);
  return cudaDeviceSynchronize();
}
