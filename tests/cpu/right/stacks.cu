// A thread's stack may lie where device memory was, and is the thread's alone all the same.
#include "check.h"

struct Numbers {
  int v[94];
};

__global__ void fill(int* memory, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) memory[i] = i;
  __syncthreads();
}
__device__ __noinline__ int scaled_sum(Numbers* numbers, int factor) {
  int sum = 0;
  for (int& v : numbers->v) sum += v *= factor;
  return sum;
}
__global__ void on_the_stack(Numbers numbers, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __syncthreads();  // all threads of a block have a stack
  out[i] = scaled_sum(&numbers, i);
}

int main() {
  Numbers numbers = {};
  for (int i = 0; i < 94; ++i) numbers.v[i] = i;
  int* out = device_array<int>(3 * 1024);
  // Each launch has threads that no launch before it had, which get their stacks where memory is free.
  for (int threads = 128; threads <= 448; threads += 64) {
    int* memory = nullptr;
    const int count = 75 * 1024 * (threads / 64);  // more than was freed before: given back to the system
    CHECK(cudaMalloc(&memory, count * sizeof(int)) == cudaSuccess);
    fill<<<1, 64>>>(memory, count);
    cudaFree(memory);
    on_the_stack<<<3, threads>>>(numbers, out);
    cudaDeviceSynchronize();
    for (int i = 0; i < 3 * threads; ++i) CHECK(out[i] == i * 93 * 94 / 2);
  }
  cudaFree(out);
}
