// What the worker itself runs on the device, around a call of the kernel under test.

#include "kernels/cuda/device.h"

#include <type_traits>

namespace {

using namespace assay::cuda;

__device__ bool aligned(const void* a, const void* b, unsigned long unit) {
  return ((reinterpret_cast<unsigned long>(a) | reinterpret_cast<unsigned long>(b)) % unit) == 0;
}

// Calls f(i, T*) for whole units, then f(i, char*) for the rest, spread over the x dimension of the grid.
template <class T, class F>
__device__ void each(std::uint64_t bytes, F f) {
  const std::uint64_t first = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  const std::uint64_t step = gridDim.x * std::uint64_t{blockDim.x};
  const std::uint64_t whole = bytes / sizeof(T);
  for (std::uint64_t i = first; i < whole; i += step) f(i, static_cast<T*>(nullptr));
  for (std::uint64_t i = whole * sizeof(T) + first; i < bytes; i += step)
    f(i, static_cast<unsigned char*>(nullptr));
}

template <class F>
__device__ void each_unit(const void* a, const void* b, std::uint64_t bytes, F f) {
  if (aligned(a, b, 16)) {
    each<uint4>(bytes, f);
  } else if (aligned(a, b, 4)) {
    each<unsigned>(bytes, f);
  } else {
    each<unsigned char>(bytes, f);
  }
}

__device__ bool same(uint4 a, uint4 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}
__device__ bool same(unsigned a, unsigned b) {
  return a == b;
}
__device__ bool same(unsigned char a, unsigned char b) {
  return a == b;
}

__device__ void copy(unsigned char* to, const unsigned char* from, std::uint64_t bytes) {
  each_unit(to, from, bytes, [=](std::uint64_t i, auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    reinterpret_cast<T*>(to)[i] = reinterpret_cast<const T*>(from)[i];
  });
}

__device__ void fill(unsigned char* to, unsigned char value, std::uint64_t bytes) {
  const unsigned word = value * 0x01010101u;
  each_unit(to, nullptr, bytes, [=](std::uint64_t i, auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    if constexpr (sizeof(T) == 16) {
      reinterpret_cast<uint4*>(to)[i] = make_uint4(word, word, word, word);
    } else {
      reinterpret_cast<T*>(to)[i] = static_cast<T>(word);
    }
  });
}

__device__ void compare(const unsigned char* a, const unsigned char* b, std::uint64_t bytes,
                        std::uint32_t* mark) {
  each_unit(a, b, bytes, [=](std::uint64_t i, auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    if (!same(reinterpret_cast<const T*>(a)[i], reinterpret_cast<const T*>(b)[i])) *mark = 1;
  });
}

__device__ void expect(const unsigned char* at, unsigned char value, std::uint32_t bytes,
                       std::uint32_t* mark) {
  const std::uint32_t first = blockIdx.x * blockDim.x + threadIdx.x;
  for (std::uint32_t i = first; i < bytes; i += gridDim.x * blockDim.x)
    if (at[i] != value) *mark = 1;
}

}  // namespace

// Before a call: inputs hold their contents, outputs and what lies around tensors the poison. The y dimension
// of the grid is the slot.
extern "C" __global__ void assay_prepare(const __grid_constant__ Slots slots) {
  const Slot& slot = slots.slot[blockIdx.y];
  const auto poison = static_cast<unsigned char>(slots.poison);
  fill(slot.at - slot.before, poison, slot.before);
  fill(slot.at + slot.bytes, poison, slot.after);
  if (slot.is_output) {
    fill(slot.at, poison, slot.bytes);
  } else {
    copy(slot.at, slot.host, slot.bytes);
  }
}

// After it: outputs to the host, and a look at everything that had to stay as it was.
extern "C" __global__ void assay_finish(const __grid_constant__ Slots slots, Marks* marks) {
  const Slot& slot = slots.slot[blockIdx.y];
  const auto poison = static_cast<unsigned char>(slots.poison);
  expect(slot.at - slot.before, poison, slot.before, &marks->overrun[blockIdx.y]);
  expect(slot.at + slot.bytes, poison, slot.after, &marks->overrun[blockIdx.y]);
  if (slot.is_output) {
    copy(slot.host, slot.at, slot.bytes);
  } else {
    compare(slot.at, slot.host, slot.bytes, &marks->changed[blockIdx.y]);
  }
}

// A kernel of which it is known what it computes.
extern "C" __global__ void assay_canary(const unsigned char* in, unsigned char* out, std::int64_t n) {
  const std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x;
  if (i < n) out[i] = static_cast<unsigned char>(~in[i]);
}

// Other work that is resident beside the kernel under test, for a while: it ends by itself, since the call
// may wait for the whole device.
extern "C" __global__ void assay_neighbour(std::uint32_t nanoseconds) {
  unsigned long long start = 0, now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - start < nanoseconds);
}
