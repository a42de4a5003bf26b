// expect checked: global-buffer-overflow
__global__ void k(int* out, int n) {
  __shared__ int s[64];
  int* p = s;
  p[threadIdx.x + n] = 1;
  out[threadIdx.x] = s[0];
}
int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(out, 0, 64 * sizeof(int));
  k<<<1, 64>>>(out, 1);
  cudaDeviceSynchronize();
  cudaFree(out);
}
