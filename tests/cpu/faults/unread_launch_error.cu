// expect fast: finding: unread error 1 of k .*unread_launch_error.cu:4
__global__ void k(int* out) { out[threadIdx.x] = 1; }
int main() {
  k<<<1, 2048>>>(nullptr);
  return cudaDeviceSynchronize();
}
