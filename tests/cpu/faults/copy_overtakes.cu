// expect race: write of 4 bytes by .*copy_overtakes.cu:12.*not ordered after the read by .*copy_overtakes.cu:9
// The copy that fills a buffer begins while others still read it.
#include <cuda_pipeline.h>
__global__ void k(const int* in, int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] =
      s[63 - threadIdx.x];
  const int* const from = in + 64 + threadIdx.x;
  int* const to = &s[threadIdx.x];
  __pipeline_memcpy_async(to, from, 4);
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] += s[63 - threadIdx.x];
}
int main() {
  int *in, *out;
  cudaMalloc(&in, 512);
  cudaMalloc(&out, 256);
  cudaMemset(in, 1, 512);
  k<<<1, 64>>>(in, out);
  cudaFree(in);
  cudaFree(out);
}
