// expect checked: misaligned address
__global__ void k(int* out) { reinterpret_cast<int4*>(out + 1)[threadIdx.x] = make_int4(1, 2, 3, 4); }
int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(out, 0, 64 * sizeof(int));
  k<<<1, 2>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
