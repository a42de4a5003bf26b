// Right ways in which blocks order what they do in memory: no alarm in any build.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

__device__ unsigned arrived;
__device__ int lock;
__device__ int under_lock;
__device__ float scratch[64];

// The last block adds up what all have left. Here the thread that counts makes the block's writes seen...
__global__ void last_block(const float* x, float* out) {
  __shared__ bool last;
  __shared__ float s[32];
  s[threadIdx.x] = x[blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int i = 0; i < 32; ++i) sum += s[i];
    scratch[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  s[threadIdx.x] = threadIdx.x < gridDim.x ? scratch[threadIdx.x] : 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int i = 0; i < 32; ++i) sum += s[i];
    *out = sum;
  }
}
// ... and here every thread its own.
__global__ void last_block_of_many(const float* x, float* parts, float* out) {
  __shared__ bool last;
  parts[blockIdx.x * 32 + threadIdx.x] = 2 * x[blockIdx.x * 32 + threadIdx.x];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(&arrived, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  float sum = 0;
  for (int b = 0; b < int(gridDim.x); ++b) sum += parts[b * 32 + 31 - threadIdx.x];
  out[threadIdx.x] = sum;
  if (threadIdx.x == 0) arrived = 0;
}
// Each block waits for the sum of those before it, by a volatile flag.
__global__ void chained_scan(const int* x, int* y, volatile int* sums, volatile int* flags, int* ticket) {
  __shared__ int mine, before;
  if (threadIdx.x == 0) mine = atomicAdd(ticket, 1);
  __syncthreads();
  const int b = mine;
  if (threadIdx.x == 0) {
    int sum = 0;
    if (b > 0) {
      while (flags[b - 1] == 0) {
      }
      __threadfence();
      sum = sums[b - 1];
    }
    before = sum;
    for (int i = 0; i < 16; ++i) sum += x[b * 16 + i];
    sums[b] = sum;
    __threadfence();
    flags[b] = 1;
  }
  __syncthreads();
  int sum = before;
  for (int i = 0; i <= int(threadIdx.x); ++i) sum += x[b * 16 + i];
  y[b * 16 + threadIdx.x] = sum;
}
// Plain code under a lock.
__global__ void locked() {
  if (threadIdx.x != 0) return;
  while (atomicCAS(&lock, 0, 1) != 0) {
  }
  __threadfence();
  under_lock = under_lock + 1;
  __threadfence();
  atomicExch(&lock, 0);
}
// Two halves of a kernel with a barrier of the grid between them, and memory that is used again.
__global__ void two_phases(int* v) {
  const auto grid = cg::this_grid();
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  for (int turn = 0; turn < 3; ++turn) {
    const int next = v[(i + 33) % n] + 1;
    grid.sync();
    v[i] = next;
    grid.sync();
  }
}
// All blocks write the same table, and read what they wrote.
__global__ void same_table(int* table, int* out) {
  if (threadIdx.x < 8) table[threadIdx.x] = threadIdx.x * threadIdx.x;
  __syncthreads();
  out[blockIdx.x * 32 + threadIdx.x] = table[threadIdx.x % 8];
}
// Scratch memory from one kernel to the next.
__global__ void first_of_two(const float* x, float* parts) {
  parts[blockIdx.x * 32 + threadIdx.x] = x[blockIdx.x * 32 + threadIdx.x];
}
__global__ void second_of_two(const float* parts, float* out) {
  float sum = 0;
  for (int i = 0; i < 128; ++i) sum += parts[i];
  out[threadIdx.x] = sum;
}

int main() {
  float* f = device_array<float>(512);
  int* v = device_array<int>(512);
  for (int i = 0; i < 128; ++i) f[i] = 1;
  for (int turn = 0; turn < 2; ++turn) {
    last_block<<<4, 32>>>(f, f + 200 + turn);
    last_block_of_many<<<4, 32>>>(f, f + 256, f + 400 + 32 * turn);
  }
  cudaDeviceSynchronize();
  CHECK(f[200] == 128 && f[201] == 128 && f[400] == 8 && f[463] == 8);

  for (int i = 0; i < 64; ++i) v[i] = 1;
  chained_scan<<<4, 16>>>(v, v + 64, v + 128, v + 144, v + 160);
  locked<<<6, 32>>>();
  cudaDeviceSynchronize();
  CHECK(v[64] == 1 && v[127] == 64);
  int count = 0;
  cudaMemcpyFromSymbol(&count, under_lock, sizeof count);
  CHECK(count == 6);

  cudaMemset(v, 0, 128 * sizeof(int));
  void* arguments[] = {&v};
  cudaLaunchCooperativeKernel(two_phases, dim3(4), dim3(32), arguments);
  cudaDeviceSynchronize();
  CHECK(v[0] == 3 && v[127] == 3);
  same_table<<<4, 32>>>(v + 200, v);
  cudaDeviceSynchronize();
  CHECK(v[0] == 0 && v[127] == 49);

  float* parts = nullptr;
  cudaMalloc(&parts, 128 * sizeof(float));
  first_of_two<<<4, 32>>>(f, parts);
  second_of_two<<<1, 32>>>(parts, f + 200);
  cudaDeviceSynchronize();
  CHECK(f[200] == 128);
  cudaFree(parts);
  cudaFree(f);
  cudaFree(v);
}
