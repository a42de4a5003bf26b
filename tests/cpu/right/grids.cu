// Barriers of the grid, and blocks that wait for each other: static, dynamic and local memory of each block
// lives on.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void __launch_bounds__(64) phases(int* out, int* sums, int rounds) {
  cg::grid_group grid = cg::this_grid();
  __shared__ int mine[64];
  extern __shared__ int more[];
  const int b = blockIdx.x, t = threadIdx.x;
  int local[4] = {b, t, b + t, 0};
  mine[t] = b * 100 + t;
  more[t] = -mine[t];
  for (int round = 0; round < rounds; ++round) {
    if (t == 0) sums[b] = b + round;
    grid.sync();
    int total = 0;
    for (int i = 0; i < (int)gridDim.x; ++i) total += sums[i];
    local[3] += total;
    grid.sync();
  }
  __syncthreads();
  out[b * 64 + t] = local[3] * 1000 + local[2] - b - t + mine[63 - t] + more[63 - t];
}

// Block 0 waits for the others, by a flag that nothing but a volatile load sees.
__device__ int flags[8];
__global__ void gather(int* out) {
  __shared__ int own;
  if (threadIdx.x == 0) own = blockIdx.x + 1;
  __syncthreads();
  if (blockIdx.x > 0) {
    if (threadIdx.x == 0) {
      out[blockIdx.x] = own;
      __threadfence();
      *(volatile int*)&flags[blockIdx.x] = 1;
    }
    return;
  }
  if (threadIdx.x < gridDim.x && threadIdx.x > 0)
    while (((volatile int*)flags)[threadIdx.x] == 0);
  __syncthreads();
  if (threadIdx.x == 0) {
    out[0] = own;
    for (int i = 1; i < (int)gridDim.x; ++i) out[0] += out[i];
  }
}

// The last block waits for the one before it, and so on: in any order of blocks.
__device__ unsigned turn;
__global__ void chain(unsigned* out) {
  if (threadIdx.x == 0) {
    while (atomicAdd(&turn, 0u) != blockIdx.x) {
    }
    out[blockIdx.x] = blockIdx.x ? out[blockIdx.x - 1] + blockIdx.x : 0;
    __threadfence();
    atomicAdd(&turn, 1u);
  }
  __syncthreads();
}

// Within a block: one warp waits for another, in a loop without a condition.
__global__ void warps(int* out) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 40) flag = 5;
  if (threadIdx.x == 3) {
    for (;;) {
      if (flag) break;
    }
    *out = flag;
  }
}

int main() {
  int* out = device_array<int>(8 * 64);
  int* sums = device_array<int>(8);
  int rounds = 3;
  void* arguments[] = {&out, &sums, &rounds};
  CHECK(cudaLaunchCooperativeKernel((void*)phases, dim3(8), dim3(64), arguments, 256, 0) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (int i = 0; i < 8 * 64; ++i) CHECK(out[i] == (3 * 28 + 8 * 3) * 1000);
  gather<<<8, 32>>>(out);
  CHECK(cudaDeviceSynchronize() == cudaSuccess && out[0] == 36);
  chain<<<6, 32>>>((unsigned*)out);
  CHECK(cudaDeviceSynchronize() == cudaSuccess && out[5] == 15);
  warps<<<1, 64>>>(out);
  CHECK(cudaDeviceSynchronize() == cudaSuccess && out[0] == 5);
  // More blocks than the device can hold at once.
  CHECK(cudaLaunchCooperativeKernel((void*)phases, dim3(132 * 32 + 1), dim3(64), arguments, 256, 0) ==
        cudaErrorCooperativeLaunchTooLarge);
  CHECK(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
  // A launch that its kernel refuses leaves nothing behind.
  phases<<<1, 96, 400>>>(out, sums, 0);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  out[0] = 0;
  warps<<<1, 64>>>(out);
  CHECK(cudaDeviceSynchronize() == cudaSuccess && out[0] == 5);
  cudaFree(out);
  cudaFree(sums);
}
