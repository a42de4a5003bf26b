// cub's collectives of a warp and a block.
#include <cub/cub.cuh>

#include "check.h"

struct Largest {
  __device__ float operator()(float a, float b) const { return a > b ? a : b; }
};

__global__ void reduce(const float* in, float* out, int n) {
  using Block = cub::BlockReduce<float, 96>;
  __shared__ typename Block::TempStorage storage;
  const int t = threadIdx.x;
  const float sum = Block(storage).Sum(in[t]);
  __syncthreads();
  const float largest = Block(storage).Reduce(in[t], Largest());
  __syncthreads();
  const float part = Block(storage).Sum(in[t], n);
  __syncthreads();
  float items[2] = {in[t], 1};
  const float all = Block(storage).Sum(items);
  if (t == 0) {
    out[0] = sum;
    out[1] = largest;
    out[2] = part;
    out[3] = all;
  }
}

__global__ void warps(const float* in, float* out) {
  using Warp = cub::WarpReduce<float>;
  using Half = cub::WarpReduce<int, 16>;
  __shared__ typename Warp::TempStorage storage[2];
  __shared__ typename Half::TempStorage halves[4];
  const int t = threadIdx.x, warp = t / 32;
  const float sum = Warp(storage[warp]).Sum(in[t]);
  const int count = Half(halves[t / 16]).Sum(t);
  if (t % 32 == 0) out[warp] = sum;
  if (t % 16 == 0) out[2 + t / 16] = count;
}

__global__ void scan(const int* in, int* inclusive, int* exclusive, int* total) {
  using Block = cub::BlockScan<int, 64>;
  using Warp = cub::WarpScan<int>;
  __shared__ typename Block::TempStorage storage;
  __shared__ typename Warp::TempStorage of_warp[2];
  const int t = threadIdx.x;
  int aggregate;
  Block(storage).InclusiveSum(in[t], inclusive[t], aggregate);
  __syncthreads();
  Block(storage).ExclusiveSum(in[t], exclusive[t]);
  if (t == 0) *total = aggregate;
  __syncthreads();
  int items[2] = {in[t], 1}, sums[2];
  Block(storage).ExclusiveSum(items, sums);
  total[1 + t] = sums[1];
  int mine;
  Warp(of_warp[t / 32]).InclusiveSum(1, mine);
  total[65 + t] = mine;
}

__global__ void sort(const float* in, float* keys, int* values) {
  using Sort = cub::BlockRadixSort<float, 32, 2, int>;
  using Load = cub::BlockLoad<float, 32, 2>;
  using Store = cub::BlockStore<float, 32, 2>;
  __shared__ typename Sort::TempStorage storage;
  __shared__ typename Load::TempStorage load;
  __shared__ typename Store::TempStorage store;
  float key[2];
  int value[2] = {int(threadIdx.x) * 2, int(threadIdx.x) * 2 + 1};
  Load(load).Load(in, key, 63, -100.0f);
  Sort(storage).SortDescending(key, value);
  Store(store).Store(keys, key);
  for (int i = 0; i < 2; ++i) values[threadIdx.x * 2 + i] = value[i];
}

int main() {
  float* in = device_array<float>(96);
  float* out = device_array<float>(64);
  int* ints = device_array<int>(64 * 3 + 130);
  for (int i = 0; i < 96; ++i) in[i] = float(i * 37 % 96);
  reduce<<<1, 96>>>(in, out, 40);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  float part = 0;
  for (int i = 0; i < 40; ++i) part += in[i];
  CHECK(out[0] == 4560 && out[1] == 95 && out[2] == part && out[3] == 4656);
  warps<<<1, 64>>>(in, out);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  float first = 0;
  for (int i = 0; i < 32; ++i) first += in[i];
  CHECK(out[0] == first && out[2] == 120 && out[3] == 376 && out[5] == 888);
  for (int i = 0; i < 64; ++i) ints[i] = i % 5;
  scan<<<1, 64>>>(ints, ints + 64, ints + 128, ints + 192);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  int sum = 0;
  for (int i = 0; i < 64; ++i) {
    CHECK(ints[128 + i] == sum && ints[193 + i] == sum + i + ints[i]);
    sum += ints[i];
    CHECK(ints[64 + i] == sum && ints[257 + i] == i % 32 + 1);
  }
  CHECK(ints[192] == sum);
  in[10] = in[20];
  sort<<<1, 32>>>(in, out, ints);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (int i = 0; i < 63; ++i) {
    CHECK(out[i] >= out[i + 1] && (ints[i] == 63 || in[ints[i]] == out[i]));
    CHECK(out[i] != out[i + 1] || ints[i] < ints[i + 1]);
  }
  CHECK(out[63] == -100 && ints[63] == 63);
  cudaFree(in);
  cudaFree(out);
  cudaFree(ints);
}
