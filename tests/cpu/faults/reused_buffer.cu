// expect race: access dynamic shared memory, byte [0-9]*, and nothing orders them.*write .* at .*reused_buffer.cu:9, .*not ordered after the read by .* at .*reused_buffer.cu:8
#include <cstdio>
__global__ void k(const int* in, int* out) {
  extern __shared__ int s[];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] =
      s[(threadIdx.x + 40) % 64];
  s[threadIdx.x] = -1 - int(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] += s[63 - threadIdx.x];
}
int main() {
  int* v;
  cudaMalloc(&v, 512);
  cudaMemset(v, 0, 512);
  k<<<1, 64, 256>>>(v, v + 64);
  cudaFree(v);
}
