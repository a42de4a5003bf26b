// Shuffles, votes, matches, reductions; partial warps and partial masks.
#include <cuda_fp16.h>

#include "check.h"

template <class T>
__global__ void shuffles(T* out, int width) {
  const int lane = threadIdx.x;
  const T mine = T(lane);
  out[lane] = __shfl_sync(0xffffffff, mine, 3, width);
  out[32 + lane] = __shfl_up_sync(0xffffffff, mine, 2, width);
  out[64 + lane] = __shfl_down_sync(0xffffffff, mine, 5, width);
  out[96 + lane] = __shfl_xor_sync(0xffffffff, mine, 1, width);
}

template <class T>
void check_shuffles() {
  T* out = device_array<T>(128);
  for (int width = 2; width <= 32; width *= 2) {
    shuffles<<<1, 32>>>(out, width);
    cudaDeviceSynchronize();
    for (int lane = 0; lane < 32; ++lane) {
      const int first = lane / width * width, last = first + width - 1;
      CHECK(float(out[lane]) == first + 3 % width);
      CHECK(float(out[32 + lane]) == (lane - 2 < first ? lane : lane - 2));
      CHECK(float(out[64 + lane]) == (lane + 5 > last ? lane : lane + 5));
      CHECK(float(out[96 + lane]) == (lane ^ 1));
    }
  }
  cudaFree(out);
}

__global__ void votes(unsigned* out) {
  const int lane = threadIdx.x & 31;
  unsigned r[10];
  r[0] = __ballot_sync(0xffffffff, lane % 4 == 1);
  r[1] = __any_sync(0xffffffff, lane == 31);
  r[2] = __all_sync(0xffffffff, lane < 31);
  r[3] = __match_any_sync(0xffffffff, lane % 3);
  int same = 7;
  r[4] = __match_all_sync(0xffffffff, 5, &same);
  r[5] = same;
  r[6] = __match_all_sync(0xffffffff, lane, &same);
  r[7] = same;
  r[8] = __activemask();
  r[9] = __reduce_add_sync(0xffffffff, lane) + __reduce_max_sync(0xffffffff, -lane) +
         __reduce_min_sync(0xffffffff, unsigned(lane + 1)) + __reduce_or_sync(0xffffffff, 1u << lane) +
         __reduce_and_sync(0xffffffff, ~0u) + __reduce_xor_sync(0xffffffff, unsigned(lane));
  if (lane == 4)
    for (int i = 0; i < 10; ++i) out[i] = r[i];
}

// Each half of the warp on its own, in different branches; then one lane alone.
__global__ void halves(int* out) {
  const int lane = threadIdx.x;
  int v = lane;
  if (lane < 16) {
    for (int o = 8; o; o /= 2) v += __shfl_down_sync(0x0000ffff, v, o, 16);
  } else {
    for (int o = 8; o; o /= 2) v += __shfl_down_sync(0xffff0000, v, o, 16);
  }
  if (lane % 16 == 0) out[lane / 16] = v;
  if (lane == 7) out[2] = __shfl_sync(1u << 7, 99, 7);
  __syncwarp();
  if (lane == 0) out[3] = out[0] + out[1] + out[2];
}

// 40 threads: the second warp has 8 lanes, and its reduction stays within them.
__global__ void partial(int* out) {
  const int lane = threadIdx.x & 31, lanes = blockDim.x - (threadIdx.x & ~31) < 32 ? 8 : 32;
  const unsigned mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
  int v = 1;
  for (int o = lanes / 2; o; o /= 2) v += __shfl_xor_sync(mask, v, o);
  if (lane == 0) out[threadIdx.x / 32] = v;
}

// The first warp of a block sums what all warps left.
__global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float part[32];
  float v = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) v += in[i];
  for (int o = 16; o; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0.f;
    for (int o = 16; o; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);
    if (threadIdx.x == 0) *out = v;
  }
}

int main() {
  check_shuffles<int>();
  check_shuffles<float>();
  check_shuffles<double>();
  check_shuffles<long long>();
  check_shuffles<unsigned>();
  check_shuffles<half>();
  unsigned* u = device_array<unsigned>(16);
  votes<<<1, 64>>>(u);
  cudaDeviceSynchronize();
  CHECK(u[0] == 0x22222222u && u[1] == 1 && u[2] == 0);
  CHECK(u[3] == 0x92492492u && u[4] == 0xffffffffu && u[5] == 1 && u[6] == 0 && u[7] == 0);
  CHECK(u[8] == 0xffffffffu);
  CHECK(u[9] == 496u + 0u + 1u + 0xffffffffu + 0xffffffffu + 0u);
  int* out = device_array<int>(8);
  halves<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  CHECK(out[0] == 120 && out[1] == 376 && out[2] == 99 && out[3] == 595);
  partial<<<1, 40>>>(out);
  cudaDeviceSynchronize();
  CHECK(out[0] == 32 && out[1] == 8);
  float* f = device_array<float>(1001);
  for (int i = 0; i < 1000; ++i) f[i] = i % 7;
  for (int threads = 32; threads <= 1024; threads *= 2) {
    block_sum<<<1, threads>>>(f, f + 1000, 1000);
    cudaDeviceSynchronize();
    CHECK(f[1000] == 2997);
  }
  cudaFree(f);
  cudaFree(out);
  cudaFree(u);
}
