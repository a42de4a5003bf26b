// Every form of a launch.
#include <cuda_runtime.h>

#include <vector>

#include "check.h"

struct Pair {
  int a, b;
};
namespace deep {
namespace inner {
template <class T, int N>
__global__ void fill(T* out, T value) {
  if (threadIdx.x < N) out[threadIdx.x] = value;
}
}  // namespace inner
}  // namespace deep
template <class T>
__global__ void deduced(T* out, const T value, int at) {
  out[at] = value;
}
__global__ void braces(int* out, Pair p, const int* none) {
  *out = p.a * 10 + p.b + (none == NULL ? 100 : 0);
}
__global__ void add(int* out, int by) {
  atomicAdd(out, by);
}
__global__ void size(int* out, float x) {
  *out = static_cast<int>(x * 2);
}
template <class T>
struct Wide {
  T v[4];
};
template <class T>
__global__ void wide(int* out, T t) {
  *out = int(t.v[3]);
}

#define LAUNCH(KERNEL, GRID, BLOCK, ...) KERNEL<<<(GRID), (BLOCK)>>>(__VA_ARGS__)

struct Launcher {
  int factor = 3;
  void run(int* out) { add<<<1, factor>>>(out, factor); }
};

int calls = 0;
int next() {
  return ++calls;
}

template <class T>
void generic(T* out) {
  deep::inner::fill<T, 4><<<1, 8, 0, 0>>>(out, T(2));
  auto lambda = [&](int n) { deduced<<<1, 1>>>(out, T(n), 5); };
  lambda(9);
}

int main() {
  int* out = device_array<int>(64);
  deep::inner::fill<int, 4><<<2, 32>>>(out, 7);
  cudaDeviceSynchronize();
  CHECK(out[0] == 7 && out[3] == 7);
  CHECK(out[4] == 0);
  generic(out);
  cudaDeviceSynchronize();
  CHECK(out[0] == 2 && out[3] == 2 && out[5] == 9);
  braces<<<1, 1>>>(out, {4, 2}, NULL);
  cudaDeviceSynchronize();
  CHECK(out[0] == 142);
  Pair p{1, 3};
  braces<<<1, dim3(1), 0>>>(out, p, 0);
  cudaDeviceSynchronize();
  CHECK(out[0] == 113);
  braces<<<1, 1>>>(out, p, nullptr);
  out[1] = 0;
  add<<<dim3(2, 2), dim3(2, 2, 2), 16, nullptr>>>(out + 1, next());  // evaluated once
  cudaDeviceSynchronize();
  CHECK(calls == 1 && out[1] == 32);
  Launcher().run(out + 1);
  cudaDeviceSynchronize();
  CHECK(out[1] == 41);
  LAUNCH(add, 1, 2, out + 1, 4);
  cudaDeviceSynchronize();
  CHECK(out[1] == 49);
  void (*table[2])(int*, int) = {add, add};
  table[next() - 1]<<<1, 1>>>(out + 1, 1);
  cudaDeviceSynchronize();
  CHECK(calls == 2 && out[1] == 50);
  size<<<1, 1>>>(out, 4);  // an int for a float
  cudaDeviceSynchronize();
  CHECK(out[0] == 8);
  wide<Wide<double>><<<1, 1>>>(out, Wide<double>{{1, 2, 3, 4}});
  cudaDeviceSynchronize();
  CHECK(out[0] == 4);
  int by = 5;
  int* at = out + 1;
  void* arguments[] = {&at, &by};
  CHECK(cudaLaunchKernel((void*)add, dim3(1), dim3(2), arguments, 0, 0) == cudaSuccess);
  cudaDeviceSynchronize();
  CHECK(out[1] == 60);
  if (out[1] == 60)
    add<<<1, 1>>>(at, 1);
  else
    add<<<1, 1>>>(at, 2);
  cudaDeviceSynchronize();
  CHECK(out[1] == 61);
  CHECK(cudaGetLastError() == cudaSuccess);
  cudaFree(out);
}
