#pragma once

// CHECK(condition) ends the program with the line as its result where the condition is false.

#include <cstdio>
#include <cstdlib>

#define CHECK(...)                                                  \
  do {                                                              \
    if (!(__VA_ARGS__)) {                                           \
      std::printf("line %d: not so: %s\n", __LINE__, #__VA_ARGS__); \
      std::exit(1);                                                 \
    }                                                               \
  } while (0)

// Device memory that the host reads too.
template <class T>
T* device_array(int count) {
  T* memory = nullptr;
  if (cudaMallocManaged(&memory, count * sizeof(T)) != cudaSuccess) std::exit(2);
  cudaMemset(memory, 0, count * sizeof(T));
  return memory;
}
