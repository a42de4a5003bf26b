// expect fast: finding: unread error 1 of k .*no_opt_in.cu:7
__global__ void k(int* out) {
  extern __shared__ int s[];
  out[threadIdx.x] = s[0];
}
int main() {
  k<<<1, 32, 50000>>>(nullptr);
  return cudaDeviceSynchronize();
}
