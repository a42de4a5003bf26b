// expect race: two threads of one warp access static shared memory.*volatile
#include <cstdio>
__global__ void k(float* v) {
  __shared__ volatile float s[64];
  const int t = threadIdx.x;
  s[t] = v[t];
  s[t + 32] = v[t + 32];
  __syncwarp();
  s[t] += s[t + 32];
  s[t] += s[t + 16];
  s[t] += s[t + 8];
  v[t] = s[t];
}
int main() {
  float host[64], *v;
  for (int i = 0; i < 64; ++i) host[i] = i;
  cudaMalloc(&v, 256);
  cudaMemcpy(v, host, 256, cudaMemcpyHostToDevice);
  k<<<1, 32>>>(v);
  cudaFree(v);
}
