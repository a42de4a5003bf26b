// expect checked: index 16 out of bounds for type
__global__ void k(int* out, int n) {
  __shared__ int s[4][16];
  s[threadIdx.x / 16][n] = 1;
  out[threadIdx.x] = s[0][0];
}
int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(out, 0, 64 * sizeof(int));
  k<<<1, 32>>>(out, 16);
  cudaDeviceSynchronize();
  cudaFree(out);
}
