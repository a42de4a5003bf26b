// Builtin variables, barriers and their votes, shared memory in every form.
#include "check.h"

extern __shared__ __align__(16) unsigned char arena[];

__global__ void indices(int* out) {
  const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  out[b * blockDim.x * blockDim.y * blockDim.z + t] = b * 1000 + t;
  if (warpSize != 32) out[0] = -1;
}

__global__ void votes(int* out) {
  const int t = threadIdx.x;
  const int count = __syncthreads_count(t % 3 == 0);
  const int all = __syncthreads_and(t >= 0);
  const int any = __syncthreads_or(t == 1000);
  if (t == 0) out[0] = count * 100 + all * 10 + any;
}

template <class T, int N>
__global__ void reverse(T* data) {
  __shared__ T tile[N];
  static __shared__ int last;
  tile[threadIdx.x] = data[blockIdx.x * N + threadIdx.x];
  if (threadIdx.x == 0) last = N - 1;
  __syncthreads();
  data[blockIdx.x * N + threadIdx.x] = tile[last - threadIdx.x];
}

__global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[16][17];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * n + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * n + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

struct Shared {
  float sum[8];
  int count;
};
__global__ void views(int* out) {
  int* ints = reinterpret_cast<int*>(arena);
  double* doubles = reinterpret_cast<double*>(ints + 32);
  __shared__ Shared shared;
  if (threadIdx.x < 8) shared.sum[threadIdx.x] = 1;
  if (threadIdx.x == 8) shared.count = 3;
  ints[threadIdx.x] = threadIdx.x;
  doubles[threadIdx.x] = 0.5 * threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    double total = shared.count;
    for (int i = 0; i < 32; ++i) total += ints[i] + doubles[i];
    for (int i = 0; i < 8; ++i) total += shared.sum[i];
    *out = int(total);
  }
}

__global__ void matrix(float* out) {
  extern __shared__ float rows[][4];
  rows[threadIdx.x][threadIdx.x & 3] = threadIdx.x;
  __syncthreads();
  const int from = blockDim.x - 1 - threadIdx.x;
  out[threadIdx.x] = rows[from][from & 3];
}

__constant__ float weights[4] = {1, 2, 3, 4};
__device__ int counter = 5;
__device__ float table[8];
__global__ void symbols(float* out) {
  if (threadIdx.x < 4) out[threadIdx.x] = weights[threadIdx.x];
  if (threadIdx.x == 0) atomicAdd(&counter, 2);
  table[threadIdx.x] = threadIdx.x * 2.f;
}

__global__ void fences(int* out) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 41;
  __threadfence_block();
  __syncwarp();
  __threadfence();
  __threadfence_system();
  out[threadIdx.x] = flag + 1;
}

int main() {
  int* out = device_array<int>(1024);
  indices<<<dim3(2, 3, 2), dim3(4, 3, 2)>>>(out);
  cudaDeviceSynchronize();
  for (int b = 0; b < 12; ++b)
    for (int t = 0; t < 24; ++t) CHECK(out[b * 24 + t] == b * 1000 + t);
  votes<<<1, 100>>>(out);
  cudaDeviceSynchronize();
  CHECK(out[0] == 3410);
  for (int i = 0; i < 512; ++i) out[i] = i;
  reverse<int, 128><<<4, 128>>>(out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 512; ++i) CHECK(out[i] == i / 128 * 128 + 127 - i % 128);
  float* f = device_array<float>(512);
  for (int i = 0; i < 256; ++i) f[i] = i;
  transpose<<<1, dim3(16, 16)>>>(f, f + 256, 16);
  cudaDeviceSynchronize();
  for (int i = 0; i < 256; ++i) CHECK(f[256 + i] == i % 16 * 16 + i / 16);
  views<<<1, 32, 32 * 4 + 32 * 8>>>(out);
  cudaDeviceSynchronize();
  CHECK(*out == 3 + 8 + 496 + 248);
  matrix<<<1, 64, 64 * 16>>>(f);
  cudaDeviceSynchronize();
  for (int i = 0; i < 64; ++i) CHECK(f[i] == 63 - i);
  const float mine[2] = {7, 8};
  CHECK(cudaMemcpyToSymbol(weights, mine, sizeof mine, sizeof(float)) == cudaSuccess);
  symbols<<<1, 8>>>(f);
  cudaDeviceSynchronize();
  CHECK(f[0] == 1 && f[1] == 7 && f[2] == 8 && f[3] == 4);
  int count = 0;
  float back[8];
  CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count) == cudaSuccess && count == 7);
  CHECK(cudaMemcpyFromSymbol(back, table, sizeof back) == cudaSuccess && back[7] == 14);
  void* address = nullptr;
  size_t bytes = 0;
  CHECK(cudaGetSymbolAddress(&address, table) == cudaSuccess && address);
  CHECK(cudaGetSymbolSize(&bytes, table) == cudaSuccess && bytes == 32);
  fences<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  CHECK(out[31] == 42);
  cudaFree(f);
  cudaFree(out);
}
