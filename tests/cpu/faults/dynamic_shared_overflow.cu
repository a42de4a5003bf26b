// expect checked: use-after-poison|global-buffer-overflow
__global__ void k(int* out) {
  extern __shared__ int s[];
  s[threadIdx.x] = 1;
  out[threadIdx.x] = s[0];
}
int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(out, 0, 64 * sizeof(int));
  k<<<1, 64, 63 * sizeof(int)>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
