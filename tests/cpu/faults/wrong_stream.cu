// expect fast: finding: wrong stream: work was left on the default stream.*wrong_stream.cu:6
__global__ void k(int* out) { out[threadIdx.x] = 1; }
int main() {
  int* out;
  cudaMalloc(&out, 256);
  k<<<1, 64>>>(out);
  return cudaGetLastError();
}
