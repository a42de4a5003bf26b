// expect checked: stack-overflow
__device__ __noinline__ int deep(int n, volatile int* p) {
  volatile int local[256];
  local[n & 255] = n;
  return n == 0 ? p[0] : deep(n - 1, local) + local[n & 255];
}
__global__ void k(int* out, int n) {
  volatile int start[256] = {};
  out[threadIdx.x] = deep(n, start);
}
int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  k<<<1, 2>>>(out, 10000);
  cudaDeviceSynchronize();
  cudaFree(out);
}
