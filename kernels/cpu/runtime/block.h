#pragma once

// The state of the block that runs, as the scheduler (grid.cpp), its barriers and its warp operations share
// it. What waits for another block lies in parked.h.

#include <bit>
#include <cstdint>

#include "fiber.h"
#include "order.h"
#include "state.h"
#include "warp.h"

// The builtin variables, which kernels see const.
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;

namespace assay::cpu {

inline constexpr int kThreads = 1024, kWarps = 32;

enum class Wait : unsigned char { running, barrier, warp, active, yield };

struct Thread {
  void* stack_pointer;
  uint3 index;
  int stack;
  Wait wait;
  const char* file;  // where it waits
  int line;
};

// Of the threads' ranks, 64 to a word.
struct Block {
  std::uint64_t ready[kThreads / 64], at_barrier[kThreads / 64];
  std::uint32_t ready_words;                     // bit w: ready[w] is not empty
  std::uint32_t alive[kWarps], pending[kWarps];  // lanes; slots of groups that wait
  int next_rank, exited;
  int barrier_count, barrier_nonzero, barrier_result;
  BarrierKind barrier_kind;
  bool barrier_differs;
  bool at_grid_barrier;  // all of its threads
  int idle_rounds;       // in which every thread only looked whether it may go on
  const char* barrier_file;
  int barrier_line;
};

extern Block block;
extern int thread_count, current;
extern Thread threads[kThreads];
extern std::uint64_t results[kThreads];  // of warp operations
extern WarpGroup groups[kWarps][32];     // a warp's, each in the slot of the lane that came first
extern ThreadOrder order;

inline void make_ready(int thread) {
  const int rank = order.rank[thread];
  block.ready[rank >> 6] |= std::uint64_t{1} << (rank & 63);
  block.ready_words |= 1u << (rank >> 6);
}

inline void make_ready(int warp, std::uint32_t lanes) {
  if (order.ascending) {
    block.ready[warp >> 1] |= std::uint64_t{lanes} << (warp & 1) * 32;
    block.ready_words |= 1u << (warp >> 1);
    return;
  }
  for (; lanes; lanes &= lanes - 1) make_ready(warp * 32 + std::countr_zero(lanes));
}

inline int take_best() {
  if (!block.ready_words) return -1;
  const int word = std::countr_zero(block.ready_words);
  const int bit = std::countr_zero(block.ready[word]);
  block.ready[word] &= block.ready[word] - 1;
  if (!block.ready[word]) block.ready_words &= block.ready_words - 1;
  return order.thread[word * 64 + bit];
}

// The threads that wait at the barrier go on.
void release_barrier();
// After a thread has returned: what waited for it alone completes.
void complete_barrier_if_all_came();
void complete_groups_without(int thread);

// Some thread has asked for asynchronous copies; the current one, which begins, has none.
extern bool async_copies;
void async_forget();

inline void resume(int thread, void** saved, bool for_good) {
  current = thread;
  threadIdx = threads[thread].index;
  Switch::to(saved, threads[thread].stack_pointer, stacks[threads[thread].stack], for_good);
}

// No thread that has started can run: another starts, or what waits is looked at.
void suspend_slowly(int me);

// The current thread has said what it waits for; comes back when it may go on.
inline void suspend() {
  const int me = current, next = take_best();
  if (next == me) return;
  if (next >= 0)
    resume(next, &threads[me].stack_pointer, false);
  else
    suspend_slowly(me);
}

// No thread of the block can go on, ever: says who waits where.
[[noreturn]] void deadlock();

}  // namespace assay::cpu
