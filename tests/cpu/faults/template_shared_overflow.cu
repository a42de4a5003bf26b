// expect checked: global-buffer-overflow
template <class T>
__global__ void k(T* out, int n) {
  __shared__ T s[64];
  T* p = s;
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
