// expect checked: stack-buffer-overflow|index 8 out of bounds
__global__ void k(int* out, int n) {
  int local[8] = {};
  local[n] = threadIdx.x;
  out[threadIdx.x] = local[n / 2];
}
int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(out, 0, 64 * sizeof(int));
  k<<<1, 64>>>(out, 8);
  cudaDeviceSynchronize();
  cudaFree(out);
}
