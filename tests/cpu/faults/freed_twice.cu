// expect fast: finding: use after free: cudaFree of a pointer
int main() {
  int* out;
  cudaMalloc(&out, 256);
  cudaFree(out);
  cudaFree(out);
  return 0;
}
