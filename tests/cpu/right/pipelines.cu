// Asynchronous copies to shared memory, by every one of their interfaces.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

#include <cuda/barrier>
#include <cuda/pipeline>

#include "check.h"

namespace cg = cooperative_groups;

// Two stages: one is loaded while the other is used.
__global__ void stages(const float* in, float* out, int count) {
  __shared__ float4 tile[2][64];
  const int t = threadIdx.x;
  const float4* from = reinterpret_cast<const float4*>(in);
  __pipeline_memcpy_async(&tile[0][t], &from[t], 16);
  __pipeline_commit();
  float sum = 0;
  for (int i = 0; i < count; ++i) {
    if (i + 1 < count) __pipeline_memcpy_async(&tile[(i + 1) % 2][t], &from[(i + 1) * 64 + t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    const float4 v = tile[i % 2][63 - t];
    sum += v.x + v.y + v.z + v.w;
    __syncthreads();
  }
  out[t] = sum;
}

__global__ void group(const int* in, int* out) {
  __shared__ alignas(16) int tile[256];
  cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, tile, in, sizeof(int) * 256);
  cg::wait(block);
  out[threadIdx.x] = tile[255 - threadIdx.x];
}

__global__ void barriers(const int* in, int* out) {
  __shared__ int tile[64];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  for (int round = 0; round < 3; ++round) {
    cuda::memcpy_async(&tile[threadIdx.x], &in[round * 64 + threadIdx.x], sizeof(int), barrier);
    barrier.arrive_and_wait();
    out[round * 64 + threadIdx.x] = tile[63 - threadIdx.x];
    auto token = barrier.arrive();
    barrier.wait(std::move(token));
  }
}

__global__ void of_thread(const int* in, int* out) {
  __shared__ int tile[2][64];
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  const int t = threadIdx.x;
  for (int i = 0; i < 2; ++i) {
    pipe.producer_acquire();
    cuda::memcpy_async(&tile[i][t], &in[i * 64 + t], sizeof(int), pipe);
    pipe.producer_commit();
  }
  for (int i = 0; i < 2; ++i) {
    pipe.consumer_wait();
    __syncthreads();
    out[i * 64 + t] = tile[i][63 - t];
    pipe.consumer_release();
  }
}

__global__ void of_block(const int* in, int* out) {
  __shared__ int tile[2][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  for (int i = 0; i < 3; ++i) {
    pipe.producer_acquire();
    cuda::memcpy_async(block, tile[i % 2], in + i * 64, sizeof(int) * 64, pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    out[i * 64 + threadIdx.x] = tile[i % 2][63 - threadIdx.x];
    pipe.consumer_release();
  }
}

__global__ void zeros(const int* in, int* out) {
  __shared__ int4 tile;
  __pipeline_memcpy_async(&tile, in, 16, 8);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  *reinterpret_cast<int4*>(out) = tile;
}

int main() {
  float* in = device_array<float>(1024);
  float* sums = device_array<float>(64);
  int* ints = device_array<int>(256);
  int* out = device_array<int>(256);
  for (int i = 0; i < 1024; ++i) in[i] = float(i);
  for (int i = 0; i < 256; ++i) ints[i] = i * i;
  stages<<<1, 64>>>(in, sums, 4);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (int t = 0; t < 64; ++t) {
    float sum = 0;
    for (int i = 0; i < 4; ++i)
      for (int k = 0; k < 4; ++k) sum += in[i * 256 + (63 - t) * 4 + k];
    CHECK(sums[t] == sum);
  }
  group<<<1, 256>>>(ints, out);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (int i = 0; i < 256; ++i) CHECK(out[i] == ints[255 - i]);
  void (*kernels[])(const int*, int*) = {barriers, of_thread, of_block};
  for (int k = 0; k < 3; ++k) {
    kernels[k]<<<1, 64>>>(ints, out);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    for (int i = 0; i < (k == 1 ? 128 : 192); ++i)
      CHECK(out[i] == ints[i / 64 * 64 + 63 - i % 64] || (std::printf("%d %d\n", k, i), false));
  }
  ints[0] = 7;
  zeros<<<1, 1>>>(ints, out);
  CHECK(cudaDeviceSynchronize() == cudaSuccess && out[0] == 7 && out[1] == 1 && out[2] == 0 && out[3] == 0);
  cudaFree(in);
  cudaFree(sums);
  cudaFree(ints);
  cudaFree(out);
}
