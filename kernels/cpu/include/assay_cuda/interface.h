#pragma once

// What a plug-in asks of the runtime that is linked into the program which loads it.

#include <stddef.h>

#include "../vector_types.h"

#pragma GCC visibility push(default)

// The builtin variables. They are const to kernels; the runtime sets them as it switches threads, which the
// compiler cannot see and need not: they never change while one thread's code runs.
#ifndef ASSAY_CPU_RUNTIME
extern const uint3 threadIdx;
extern const uint3 blockIdx;
extern const dim3 blockDim;
extern const dim3 gridDim;
#endif
inline constexpr int warpSize = 32;

namespace assay::cpu {

struct Shape {
  dim3 grid, block;
  size_t shared_bytes;
  void* stream;
  const char* kernel;    // its name as the launch has it
  const void* function;  // its address where known
  const char* file;
  int line;
  bool cooperative;
};

// Runs the grid: thread(closure) for each of its threads. Returns a cudaError_t, which is also recorded.
int launch(const Shape& shape, void (*thread)(void*), void* closure);

enum class BarrierKind : unsigned char { plain, count, all, any };
int barrier(BarrierKind kind, int predicate, const char* file, int line);

enum class WarpKind : unsigned char {
  shuffle_index,
  shuffle_up,
  shuffle_down,
  shuffle_xor,
  sync,
  all,
  any,
  ballot,
  match_any,
  match_all,
  add_signed,
  add_unsigned,
  min_signed,
  min_unsigned,
  max_signed,
  max_unsigned,
  bit_and,
  bit_or,
  bit_xor,
};
// One lane's part in an operation of the lanes in `mask`. `width` is a shuffle's segment, `size` the bytes
// of its value.
unsigned long long warp(WarpKind kind, unsigned mask, unsigned long long value, int argument, int width,
                        const char* file, int line);
unsigned active_mask(const char* file, int line);

void grid_barrier(const char* file, int line);

// Lets other threads of the block run first: of a thread that may be spinning.
void yield_thread();
void note_float_atomic();
[[noreturn]] void trap(const char* file, int line);
unsigned linear_thread();  // threadIdx.x + threadIdx.y * blockDim.x + ...

extern unsigned char dynamic_arena[];
template <class T>
T* dynamic_shared() {
  return reinterpret_cast<T*>(dynamic_arena);
}

}  // namespace assay::cpu

#pragma GCC visibility pop
