// expect fast: finding: unread error 1 of k .*launch_bounds.cu:6
__global__ void __launch_bounds__(128) k(int* out) {
  out[threadIdx.x] = 1;
}
int main() {
  k<<<1, 256>>>(nullptr);
  return cudaDeviceSynchronize();
}
