// expect fast: finding: unread error 1 of k .*static_and_dynamic_shared.cu:10
__global__ void k(int* out) {
  __shared__ int s[5120];
  extern __shared__ int d[];
  s[threadIdx.x] = d[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = s[0] + d[0];
}
int main() {
  k<<<1, 32, 40000>>>(nullptr);
  return cudaDeviceSynchronize();
}
