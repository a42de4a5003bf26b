#pragma once

// What a plug-in asks of the runtime that is linked into the program which loads it.

#include <stddef.h>

#include "../vector_types.h"

// Where each access to memory is reported to the runtime (Build::race).
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ASSAY_TRACED 1
#endif
#endif
// Of functions that speak for themselves.
#ifdef ASSAY_TRACED
#define ASSAY_UNTRACED __attribute__((no_sanitize("thread")))
#else
#define ASSAY_UNTRACED
#endif

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

enum class BarrierKind : unsigned char { plain, count, all, any, grid };
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

// What the running launch leaves to the kernel. Where the kernel needs more, the launch fails, as it would on
// a GPU, at the first thread that says so.
struct LaunchLimits {
  unsigned threads;      // of a block
  size_t static_shared;  // bytes that static shared memory may have
};
#ifndef ASSAY_CPU_RUNTIME
extern const LaunchLimits launch_limits;
#endif
[[noreturn]] void refuse_launch();
// A finding about a call of the function `name`.
void complain(const char* kind, const char* name, const char* text, const char* file, int line);

// Lets other threads of the block run first, then other blocks: of a thread that may be spinning.
void yield_thread();
void note_float_atomic();
// Whether blocks of the running launch are left out, and an atomic on `address` then.
#ifndef ASSAY_CPU_RUNTIME
extern const bool blocks_left_out;
#endif
void note_atomic(const void* address);
[[noreturn]] void trap(const char* file, int line);
unsigned linear_thread();  // threadIdx.x + threadIdx.y * blockDim.x + ...

extern unsigned char dynamic_arena[];
template <class T>
T* dynamic_shared() {
  return reinterpret_cast<T*>(dynamic_arena);
}

// Copies of this thread that are done only when waited for: of `bytes`, the last `zeros` become 0. A batch is
// what lies between two commits; waiting leaves the `latest` batches out.
void async_copy(void* to, const void* from, unsigned bytes, unsigned zeros);
void async_commit();
void async_wait(unsigned latest);

#if defined(ASSAY_TRACED) || defined(ASSAY_RACE)
// An atomic operation on `bytes` at `address`; a fence, of the block only or of the device; and the two sides
// of an object by which threads synchronise.
void trace_atomic(const void* address, unsigned bytes);
void trace_fence(bool block_only);
void trace_release(const void* address);
void trace_acquire(const void* address);
// The variables of these headers, where the runtime knows that they are no business of the report's. (A
// section of their own would not do: clang takes a variable with one, from a precompiled header, for a
// constant.)
struct HeaderVariables {
  const void* last_atomic;
  unsigned same_atomic, polls;
  const void* operands[32][32][3];  // of mma.h
};
extern HeaderVariables header_variables;
#else
inline void trace_atomic(const void*, unsigned) {}
inline void trace_fence(bool) {}
inline void trace_release(const void*) {}
inline void trace_acquire(const void*) {}
#endif

// In the condition of a loop that may wait for another thread.
#ifdef ASSAY_TRACED
inline unsigned& polls = header_variables.polls;
#else
inline unsigned polls = 0;
#endif
inline bool poll() {
  if (++polls % 1024 == 0) yield_thread();
  return true;
}

}  // namespace assay::cpu

#pragma GCC visibility pop

// Put by the rewriter at the begin of a kernel with __launch_bounds__, and after a static __shared__.
#define ASSAY_LAUNCH_BOUNDS(THREADS)                              \
  if (assay::cpu::launch_limits.threads > (THREADS)) [[unlikely]] \
    assay::cpu::refuse_launch();
#define ASSAY_STATIC_SHARED(BYTES)                                                       \
  static_assert((BYTES) <= 49152,                                                        \
                "limit exceeded: a kernel's static __shared__ variables may have 49152 " \
                "bytes in all; use extern __shared__ and opt in for more");              \
  if (assay::cpu::launch_limits.static_shared < (BYTES)) [[unlikely]]                    \
    assay::cpu::refuse_launch();
