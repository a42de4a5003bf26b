// expect checked: global-buffer-overflow|out of bounds
__constant__ int table[4];
__global__ void k(int* out, int n) {
  const int* p = table;
  out[threadIdx.x] = p[n];
}
int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(out, 0, 64 * sizeof(int));
  k<<<1, 64>>>(out, 4);
  cudaDeviceSynchronize();
  cudaFree(out);
}
