// expect fast: barrier in divergent code: kernel k, block .*different barriers.*barrier_in_branches.cu:
__global__ void k(int* out) {
  __shared__ int s;
  if (threadIdx.x < 32) {
    s = 1;
    __syncthreads();
  } else {
    __syncthreads();
    out[threadIdx.x] = s;
  }
}
int main() {
  int* out;
  cudaMalloc(&out, 256);
  k<<<1, 64>>>(out);
  return cudaDeviceSynchronize();
}
