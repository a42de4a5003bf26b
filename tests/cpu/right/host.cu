// The host API: errors, limits of launches, memory, streams, events, the device.
#include <cstring>

#include "check.h"

__global__ void set(int* out, int value) {
  out[threadIdx.x] = value;
}
template <class T>
__global__ void large(T* out) {
  extern __shared__ int words[];
  words[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = words[blockDim.x - 1 - threadIdx.x];
}

int main() {
  int* out = device_array<int>(1024);
  // Launches beyond the limits fail and leave an error that is read once.
  set<<<1, 1025>>>(out, 1);
  CHECK(cudaPeekAtLastError() == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaSuccess);
  set<<<0, 32>>>(out, 1);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  set<<<1, dim3(1, 1, 65)>>>(out, 1);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  set<<<dim3(1, 65536), 1>>>(out, 1);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  large<int><<<1, 32, 64 << 10>>>(out);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaFuncSetAttribute(large<int>, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10) ==
        cudaSuccess);
  large<int><<<1, 32, 64 << 10>>>(out);
  CHECK(cudaGetLastError() == cudaSuccess);
  cudaDeviceSynchronize();
  CHECK(out[0] == 31);
  CHECK(cudaFuncSetAttribute(large<int>, cudaFuncAttributeMaxDynamicSharedMemorySize, 300 << 10) !=
        cudaSuccess);
  cudaGetLastError();
  CHECK(std::strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") == 0);
  CHECK(std::strcmp(cudaGetErrorString(cudaErrorInvalidConfiguration), "invalid configuration argument") ==
        0);

  float* device = nullptr;
  float host[6] = {1, 2, 3, 4, 5, 6}, back[6] = {};
  CHECK(cudaMalloc(&device, sizeof host) == cudaSuccess);
  CHECK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpy(back, device, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess && back[5] == 6);
  CHECK(cudaMemset(device, 0, 8) == cudaSuccess);
  CHECK(cudaMemcpyAsync(back, device, sizeof host, cudaMemcpyDefault) == cudaSuccess);
  cudaDeviceSynchronize();
  CHECK(back[1] == 0 && back[2] == 3);
  CHECK(cudaMemcpy2D(back, 8, host, 12, 8, 2, cudaMemcpyHostToHost) == cudaSuccess && back[2] == 4 &&
        back[3] == 5);
  CHECK(cudaFree(device) == cudaSuccess && cudaFree(nullptr) == cudaSuccess);
  void* none = nullptr;
  CHECK(cudaMalloc(&none, size_t(1) << 50) == cudaErrorMemoryAllocation);
  cudaGetLastError();
  CHECK(cudaMallocHost(&device, 16) == cudaSuccess && cudaFreeHost(device) == cudaSuccess);

  cudaStream_t stream;
  cudaEvent_t start, stop;
  CHECK(cudaStreamCreate(&stream) == cudaSuccess);
  CHECK(cudaEventCreate(&start) == cudaSuccess && cudaEventCreate(&stop) == cudaSuccess);
  cudaEventRecord(start, stream);
  set<<<1, 32, 0, stream>>>(out, 77);
  cudaEventRecord(stop, stream);
  CHECK(cudaEventSynchronize(stop) == cudaSuccess);
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop) == cudaSuccess && milliseconds >= 0);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess && out[31] == 77);
  CHECK(cudaMallocAsync(&device, 64, stream) == cudaSuccess && cudaFreeAsync(device, stream) == cudaSuccess);
  CHECK(cudaEventDestroy(start) == cudaSuccess && cudaEventDestroy(stop) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);

  int count = 0, value = 0, blocks = 0, grid = 0, block = 0;
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceCount(&count) == cudaSuccess && count >= 1);
  CHECK(cudaSetDevice(0) == cudaSuccess && cudaGetDevice(&value) == cudaSuccess && value == 0);
  CHECK(cudaGetDeviceProperties(&properties, 0) == cudaSuccess && properties.warpSize == 32);
  CHECK(properties.maxThreadsPerBlock == 1024 && properties.multiProcessorCount > 0);
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlock, 0) == cudaSuccess &&
        value == 49152);
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, set, 256, 0) == cudaSuccess && blocks >= 1);
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, set) == cudaSuccess && block > 0 && grid > 0);
  CHECK(cudaFree(out) == cudaSuccess);
}
