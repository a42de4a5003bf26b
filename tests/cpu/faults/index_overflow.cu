// expect checked: signed integer overflow
__global__ void k(int* out, int rows, int cols) { if (rows * cols > 0) out[0] = 1; }
int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(out, 0, 64 * sizeof(int));
  k<<<1, 1>>>(out, 65536, 65536);
  cudaDeviceSynchronize();
  cudaFree(out);
}
