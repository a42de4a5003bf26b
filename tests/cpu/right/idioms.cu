// Right idioms that must raise no alarm.
#include "check.h"

// Whole blocks return early; the barrier is met by all threads of the others.
__global__ void rows_only(const float* x, float* y, int rows) {
  __shared__ float s[64];
  if (int(blockIdx.x) >= rows) return;
  s[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  y[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}
// All threads write the same value.
__global__ void same_value(int* flag) {
  *flag = 1;
}
// An in-place scan with barriers between reading and writing.
__global__ void scan(int* v) {
  __shared__ int s[256];
  s[threadIdx.x] = v[threadIdx.x];
  __syncthreads();
  for (int o = 1; o < 256; o *= 2) {
    const int add = int(threadIdx.x) >= o ? s[threadIdx.x - o] : 0;
    __syncthreads();
    s[threadIdx.x] += add;
    __syncthreads();
  }
  v[threadIdx.x] = s[threadIdx.x];
}
// Two buffers, one barrier a step.
__global__ void double_buffer(const int* in, int* out, int steps) {
  __shared__ int buffer[2][32];
  buffer[0][threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < steps; ++i) {
    if (i + 1 < steps) buffer[(i + 1) & 1][threadIdx.x] = in[(i + 1) * 32 + threadIdx.x];
    sum += buffer[i & 1][31 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
// A barrier in a loop and in a branch that is the same for the whole block.
__global__ void uniform_branch(int* out, int n) {
  __shared__ int s;
  if (threadIdx.x == 0) s = 0;
  for (int i = 0; i < n; ++i) {
    __syncthreads();
    if (i % 2 == 0) {
      if (threadIdx.x == unsigned(i)) s += i;
      __syncthreads();
    }
  }
  __syncthreads();
  out[threadIdx.x] = s;
}
// Warps return one after the other once no barrier is left; the rest use warp operations.
__global__ void warps_leave(int* out) {
  __syncthreads();
  if (threadIdx.x >= 32) return;
  int v = threadIdx.x;
  for (int o = 16; o; o /= 2) v += __shfl_xor_sync(0xffffffff, v, o);
  __syncwarp();
  if (threadIdx.x == 0) *out = v;
}
// Grid-stride loop whose last turn is not full, with the ballot taken by those still in it.
__global__ void ballot_of_some(int* out, int n) {
  int count = 0;
  for (int i = threadIdx.x; i < 64; i += 32) {
    const unsigned in = __ballot_sync(0xffffffff, i < n);
    count += __popc(in);
  }
  if (threadIdx.x == 0) *out = count;
}

int main() {
  float* f = device_array<float>(512);
  for (int i = 0; i < 256; ++i) f[i] = i;
  rows_only<<<4, 64>>>(f, f + 256, 3);
  cudaDeviceSynchronize();
  CHECK(f[256] == 63 && f[256 + 191] == 128 && f[256 + 192] == 0);
  int* v = device_array<int>(512);
  same_value<<<8, 64>>>(v);
  cudaDeviceSynchronize();
  CHECK(*v == 1);
  for (int i = 0; i < 256; ++i) v[i] = 1;
  scan<<<1, 256>>>(v);
  cudaDeviceSynchronize();
  for (int i = 0; i < 256; ++i) CHECK(v[i] == i + 1);
  double_buffer<<<1, 32>>>(v, v + 256, 8);
  cudaDeviceSynchronize();
  CHECK(v[256] == 8 * 32 + 32 * 28);
  uniform_branch<<<1, 96>>>(v, 7);
  cudaDeviceSynchronize();
  CHECK(v[95] == 12);
  warps_leave<<<1, 128>>>(v);
  cudaDeviceSynchronize();
  CHECK(*v == 496);
  ballot_of_some<<<1, 32>>>(v, 45);
  cudaDeviceSynchronize();
  CHECK(*v == 45);
  cudaFree(f);
  cudaFree(v);
}
