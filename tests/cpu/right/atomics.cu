// Atomics: what they leave, and what they return.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "check.h"

template <class T>
__global__ void integers(T* v) {
  const T t = T(threadIdx.x);
  atomicAdd(&v[0], t);
  atomicMin(&v[1], t);
  atomicMax(&v[2], t);
  atomicAnd(&v[3], ~(T(1) << (threadIdx.x % 30)));
  atomicOr(&v[4], T(1) << (threadIdx.x % 30));
  atomicXor(&v[5], t);
  atomicExch(&v[6], T(9));
  T old = v[7], seen;
  do {
    seen = old;
    old = atomicCAS(&v[7], seen, seen + 2);
  } while (old != seen);
}

__global__ void counters(unsigned* v, unsigned* seen) {
  seen[threadIdx.x] = atomicInc(&v[0], 9);
  atomicDec(&v[1], 9);
  atomicSub(&v[2], 1u);
  atomicAdd_block(&v[3], 1u);
  atomicAdd_system(&v[3], 1u);
}

__global__ void floats(float* f, double* d, half* h, __nv_bfloat16* b, half2* p) {
  atomicAdd(f, 0.5f);
  atomicAdd(d, 0.25);
  atomicAdd(h, __float2half(1.0f));
  atomicAdd(b, __float2bfloat16(1.0f));
  atomicAdd(p, __floats2half2_rn(1.0f, 2.0f));
  atomicExch(f + 1, 3.0f);
}

// Float maximum by integer comparison, a usual trick.
__device__ float atomic_max(float* address, float value) {
  int* bits = reinterpret_cast<int*>(address);
  int old = *bits, seen;
  do {
    seen = old;
    if (__int_as_float(seen) >= value) break;
    old = atomicCAS(bits, seen, __float_as_int(value));
  } while (old != seen);
  return __int_as_float(old);
}
__global__ void maximum(float* f) {
  atomic_max(f, float(threadIdx.x * 7 % 64));
}

// A lock that threads of one block fight over, each for one turn.
__global__ void lock(int* mutex, int* count) {
  bool done = false;
  while (!done) {
    if (atomicCAS(mutex, 0, 1) == 0) {
      *count = *count + 1;
      __threadfence();
      atomicExch(mutex, 0);
      done = true;
    }
  }
}

// The last block to come sums what all blocks left.
__device__ unsigned arrived = 0;
__global__ void last_block(float* part, float* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    part[blockIdx.x] = blockIdx.x;
    __threadfence();
    last = atomicAdd(&arrived, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float sum = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) sum += part[i];
    *out = sum;
  }
}

// One atomic for the lanes that are converged.
__global__ void aggregated(int* count, int* place) {
  if (threadIdx.x % 2 == 0) {
    const unsigned active = __activemask();
    const int lane = threadIdx.x & 31, leader = __ffs(active) - 1;
    int base = 0;
    if (lane == leader) base = atomicAdd(count, __popc(active));
    base = __shfl_sync(active, base, leader);
    place[threadIdx.x] = base + __popc(active & ((1u << lane) - 1));
  }
}

int main() {
  int* v = device_array<int>(128);
  v[1] = 100;
  v[2] = -5;
  v[3] = -1;
  integers<<<1, 64>>>(v);
  cudaDeviceSynchronize();
  CHECK(v[0] == 2016 && v[1] == 0 && v[2] == 63 && v[3] == int(0xc0000000) && v[4] == 0x3fffffff &&
        v[5] == 0);
  CHECK(v[6] == 9 && v[7] == 128);
  unsigned long long* w = device_array<unsigned long long>(8);
  w[1] = 100;
  w[3] = ~0ull;
  integers<<<1, 64>>>(w);
  cudaDeviceSynchronize();
  CHECK(w[0] == 2016 && w[1] == 0 && w[2] == 63 && w[3] == 0xffffffffc0000000ull && w[7] == 128);
  unsigned* u = device_array<unsigned>(4 + 25);
  u[2] = 30;
  counters<<<1, 25>>>(u, u + 4);
  cudaDeviceSynchronize();
  CHECK(u[0] == 5 && u[1] == 5 && u[2] == 5 && u[3] == 50);
  float* f = device_array<float>(64);
  double* d = device_array<double>(1);
  half* h = device_array<half>(1);
  __nv_bfloat16* b = device_array<__nv_bfloat16>(1);
  half2* p = device_array<half2>(1);
  floats<<<2, 50>>>(f, d, h, b, p);
  cudaDeviceSynchronize();
  CHECK(f[0] == 50 && f[1] == 3 && *d == 25 && __half2float(*h) == 100 && __bfloat162float(*b) == 100);
  CHECK(__low2float(*p) == 100 && __high2float(*p) == 200);
  f[0] = -1;
  maximum<<<1, 64>>>(f);
  cudaDeviceSynchronize();
  CHECK(f[0] == 63);
  v[0] = v[1] = 0;
  lock<<<2, 64>>>(v, v + 1);
  cudaDeviceSynchronize();
  CHECK(v[0] == 0 && v[1] == 128);
  last_block<<<32, 32>>>(f, f + 40);
  cudaDeviceSynchronize();
  CHECK(f[40] == 496);
  v[0] = 0;
  aggregated<<<1, 64>>>(v, v + 1);
  cudaDeviceSynchronize();
  bool taken[32] = {};
  for (int i = 0; i < 64; i += 2) {
    CHECK(v[1 + i] >= 0 && v[1 + i] < 32 && !taken[v[1 + i]]);
    taken[v[1 + i]] = true;
  }
  CHECK(v[0] == 32);
  for (void* memory : {(void*)v, (void*)w, (void*)u, (void*)f, (void*)d, (void*)h, (void*)b, (void*)p})
    cudaFree(memory);
}
