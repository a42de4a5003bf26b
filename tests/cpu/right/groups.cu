// Cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "check.h"

namespace cg = cooperative_groups;

template <int Size>
__global__ void tiles(int* out) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<Size> tile = cg::tiled_partition<Size>(block);
  const int sum = cg::reduce(tile, int(block.thread_rank()), cg::plus<int>());
  int down = tile.thread_rank();
  for (int o = tile.size() / 2; o > 0; o /= 2) down += tile.shfl_down(down, o);
  const unsigned ballot = tile.ballot(tile.thread_rank() == 0);
  block.sync();
  if (tile.thread_rank() == 0) {
    out[block.thread_rank() / Size * 4] = sum;
    out[block.thread_rank() / Size * 4 + 1] = down;
    out[block.thread_rank() / Size * 4 + 2] = ballot;
    out[block.thread_rank() / Size * 4 + 3] = tile.meta_group_rank();
  }
}

__global__ void coalesced(int* out) {
  if (threadIdx.x % 3 == 0) {
    cg::coalesced_group active = cg::coalesced_threads();
    const int first = active.shfl(int(threadIdx.x), 0);
    if (active.thread_rank() == active.size() - 1) {
      out[0] = active.size();
      out[1] = first;
    }
  }
}

int main() {
  int* out = device_array<int>(512);
  tiles<16><<<1, 64>>>(out);
  cudaDeviceSynchronize();
  for (int t = 0; t < 4; ++t)
    CHECK(out[t * 4] == 16 * 16 * t + 120 && out[t * 4 + 1] == 120 && out[t * 4 + 2] == 1 &&
          out[t * 4 + 3] == t);
  tiles<32><<<1, 96>>>(out);
  cudaDeviceSynchronize();
  for (int t = 0; t < 3; ++t) CHECK(out[t * 4] == 32 * 32 * t + 496 && out[t * 4 + 1] == 496);
  coalesced<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  CHECK(out[0] == 11 && out[1] == 0);
  cudaFree(out);
}
