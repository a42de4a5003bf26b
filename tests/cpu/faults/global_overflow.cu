// expect checked: heap-buffer-overflow.*
__global__ void k(int* out) { out[threadIdx.x] = 1; }
int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(out, 0, 64 * sizeof(int));
  k<<<1, 65>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
