// expect fast: leaked: 1 allocations
int main() {
  int* out;
  cudaMalloc(&out, 256);
  return cudaDeviceSynchronize();
}
