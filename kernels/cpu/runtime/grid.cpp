// Runs a grid: blocks one after the other, the threads of a block on fibers.
//
// A thread starts only when nothing that has started can run, on the stack of the last that ended; so a
// kernel without barriers uses one stack and switches never. Of the threads that can run, the one of the best
// rank runs, always: rank is the schedule (ascending, descending, pseudo-random), which makes code that
// depends on another order show.

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fiber.h"
#include "limits.h"
#include "order.h"
#include "section.h"
#include "state.h"
#include "warp.h"

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace assay::cpu {

alignas(1024) unsigned char dynamic_arena[kSharedLimit];

namespace {

constexpr int kThreads = 1024, kWarps = 32;

enum class Wait : unsigned char { running, barrier, warp, active, yield };

struct Thread {
  void* stack_pointer;
  uint3 index;
  int stack;
  Wait wait;
  const char* file;  // where it waits
  int line;
};

struct Launched {
  const Shape* shape = nullptr;
  void (*thread)(void*) = nullptr;
  void* closure = nullptr;
  Section statics;
  BlockOrder blocks;
} launched;

Thread threads[kThreads];
std::uint64_t results[kThreads];
ThreadOrder order;

// By rank, 64 to a word; bit w of ready_words: ready[w] is not empty.
std::uint64_t ready[kThreads / 64], at_barrier[kThreads / 64];
std::uint32_t ready_words;

int thread_count, next_rank, exited, current;
int barrier_count, barrier_nonzero, barrier_result;
BarrierKind barrier_kind;
const char* barrier_file;
int barrier_line;
bool barrier_differs;
std::uint32_t alive[kWarps], pending[kWarps];  // lanes; slots of groups that wait
WarpGroup groups[kWarps][32];                  // a warp's, each in the slot of the lane that came first

int free_stacks[kThreads + 1], free_count, starting_stack;
void* main_stack_pointer;
Stack main_stack;
bool running;

// --- ready threads -----------------------------------------------------------------------------------

void make_ready(int thread) {
  const int rank = order.rank[thread];
  ready[rank >> 6] |= std::uint64_t{1} << (rank & 63);
  ready_words |= 1u << (rank >> 6);
}

void make_ready(int warp, std::uint32_t lanes) {
  if (order.ascending) {
    ready[warp >> 1] |= std::uint64_t{lanes} << (warp & 1) * 32;
    ready_words |= 1u << (warp >> 1);
    return;
  }
  for (; lanes; lanes &= lanes - 1) make_ready(warp * 32 + std::countr_zero(lanes));
}

int take_best() {
  if (!ready_words) return -1;
  const int word = std::countr_zero(ready_words);
  const int bit = std::countr_zero(ready[word]);
  ready[word] &= ready[word] - 1;
  if (!ready[word]) ready_words &= ready_words - 1;
  return order.thread[word * 64 + bit];
}

// --- completing --------------------------------------------------------------------------------------

void complete_group(int warp, int slot) {
  WarpGroup& group = groups[warp][slot];
  const std::uint64_t poison = 0x0101010101010101ull * call.settings.poison;
  const int stray = complete(group, &results[warp * 32], poison);
  if (stray >= 0) [[unlikely]]
    add_note("undefined shuffle value",
             position() + ": " + name_of(group.kind) + ": lane " + std::to_string(stray) +
                 " reads from a lane that takes no part",
             location(group.file, group.line));
  make_ready(warp, group.arrived);
  group.arrived = 0;
  pending[warp] &= ~(1u << slot);
}

void complete_barrier() {
  if (barrier_differs)
    add_finding("barrier in divergent code",
                position() + ": threads of one block meet at different barriers, the first at " +
                    location(barrier_file, barrier_line),
                location(barrier_file, barrier_line));
  if (exited > 0)
    add_finding("barrier in divergent code",
                position() + ": " + std::to_string(exited) + " of " + std::to_string(thread_count) +
                    " threads of the block have returned and do not come to this barrier",
                location(barrier_file, barrier_line));
  const int count = barrier_nonzero;
  barrier_result = barrier_kind == BarrierKind::count ? count
                   : barrier_kind == BarrierKind::all ? count == barrier_count
                                                      : count != 0;
  for (int word = 0; word * 64 < thread_count; ++word) {
    if (!at_barrier[word]) continue;
    ready[word] |= at_barrier[word];
    ready_words |= 1u << word;
    at_barrier[word] = 0;
  }
  barrier_count = barrier_nonzero = 0;
  barrier_differs = false;
}

std::string name_of_thread(int thread) {
  const uint3 i = threads[thread].index;
  char text[64];
  std::snprintf(text, sizeof text, "(%u,%u,%u)", i.x, i.y, i.z);
  return text;
}

[[noreturn]] void deadlock() {
  struct Place {
    Wait wait;
    const char* file;
    int line, count, first;
  };
  std::vector<Place> places;
  for (int rank = 0; rank < thread_count; ++rank) {
    const int t = order.thread[rank];
    if (!(alive[t >> 5] >> (t & 31) & 1)) continue;
    Place* found = nullptr;
    for (Place& place : places)
      if (place.file == threads[t].file && place.line == threads[t].line && place.wait == threads[t].wait)
        found = &place;
    if (found)
      ++found->count;
    else
      places.push_back({threads[t].wait, threads[t].file, threads[t].line, 1, t});
  }
  std::string text = position() + ": no thread of the block can go on:";
  for (const Place& place : places) {
    text +=
        "\n  " + std::to_string(place.count) + (place.count == 1 ? " thread waits at " : " threads wait at ");
    text += place.wait == Wait::barrier ? "a barrier" : "a warp operation";
    if (place.wait == Wait::warp) {
      for (std::uint32_t left = pending[place.first >> 5]; left; left &= left - 1) {
        const WarpGroup& group = groups[place.first >> 5][std::countr_zero(left)];
        if (!(group.arrived >> (place.first & 31) & 1)) continue;
        char mask[64];
        std::snprintf(mask, sizeof mask, " (%s, mask 0x%08x, arrived 0x%08x)", name_of(group.kind),
                      group.mask, group.arrived);
        text += mask;
      }
    }
    text += ", " + location(place.file, place.line) + ", the first is " + name_of_thread(place.first);
  }
  if (exited) text += "\n  " + std::to_string(exited) + " have returned";
  // A warp operation that lanes of its mask miss is the cause where there is one.
  const Place* cause = &places.front();
  for (const Place& place : places)
    if (place.wait == Wait::warp) cause = &place;
  fatal(cause->wait == Wait::warp ? "invalid warp mask" : "deadlock", text,
        location(cause->file, cause->line));
}

// Nothing is ready and all have started: what waits for just that goes on, else it is a deadlock.
void resolve() {
  for (int rank = 0; rank < thread_count; ++rank) {
    const int first = order.thread[rank];
    if (threads[first].wait != Wait::active) continue;
    std::uint32_t lanes = 0;
    const int warp = first >> 5;
    for (std::uint32_t left = alive[warp]; left; left &= left - 1) {
      const int t = warp * 32 + std::countr_zero(left);
      if (threads[t].wait == Wait::active && threads[t].line == threads[first].line &&
          threads[t].file == threads[first].file)
        lanes |= left & -left;
    }
    for (std::uint32_t left = lanes; left; left &= left - 1) {
      const int t = warp * 32 + std::countr_zero(left);
      results[t] = lanes;
      threads[t].wait = Wait::running;
    }
    make_ready(warp, lanes);
    return;
  }
  bool any = false;
  for (int t = 0; t < thread_count; ++t) {
    if (threads[t].wait != Wait::yield) continue;
    threads[t].wait = Wait::running;
    make_ready(t);
    any = true;
  }
  if (!any) deadlock();
}

// --- running -----------------------------------------------------------------------------------------

void resume(int thread, void** saved, bool for_good) {
  current = thread;
  threadIdx = threads[thread].index;
  Switch::to(saved, threads[thread].stack_pointer, stack_of(threads[thread].stack), for_good);
}

void fiber_main();

void start_fiber(void** saved) {
  starting_stack = free_stacks[--free_count];
  const Stack stack = stack_of(starting_stack);
  Switch::to(saved, prepare(stack, fiber_main, starting_stack), stack, false);
}

// The current thread has said what it waits for; comes back when it may go on.
void suspend() {
  const int me = current;
  for (;;) {
    const int next = take_best();
    if (next == me) break;
    if (next >= 0) {
      resume(next, &threads[me].stack_pointer, false);
      break;
    }
    if (next_rank < thread_count) {
      start_fiber(&threads[me].stack_pointer);
      break;
    }
    resolve();
  }
}

void begin_thread(int stack) {
  const int t = order.thread[next_rank++];
  Thread& thread = threads[t];
  current = t;
  const unsigned x = blockDim.x, y = blockDim.y, u = static_cast<unsigned>(t);
  if (y == 1 && blockDim.z == 1)
    thread.index = {u, 0, 0};
  else
    thread.index = {u % x, u / x % y, u / (x * y)};
  thread.stack = stack;
  thread.wait = Wait::running;
  threadIdx = thread.index;
}

void finish_thread() {
  ++exited;
  const int warp = current >> 5;
  alive[warp] &= ~(1u << (current & 31));
  threads[current].wait = Wait::running;
  for (std::uint32_t left = pending[warp]; left; left &= left - 1) {
    const int slot = std::countr_zero(left);
    const WarpGroup& group = groups[warp][slot];
    if (group.arrived == (group.mask & alive[warp])) complete_group(warp, slot);
  }
  if (barrier_count && barrier_count == thread_count - exited) complete_barrier();
}

bool next_block() {
  if (!launched.blocks.next(&blockIdx)) return false;
  ++call.report.blocks;
  call.report.threads += thread_count;
  next_rank = exited = barrier_count = 0;
  for (int warp = 0; warp * 32 < thread_count; ++warp) {
    const int lanes = thread_count - warp * 32;
    alive[warp] = lanes >= 32 ? ~0u : (1u << lanes) - 1;
  }
  if (launched.statics.size) fill(launched.statics.begin, call.settings.poison, launched.statics.size);
  if (launched.shape->shared_bytes) fill(dynamic_arena, call.settings.poison, launched.shape->shared_bytes);
  return true;
}

void fiber_main() {
  const int stack = starting_stack;
  const Stack from = Switch::arrive();
  if (!main_stack.bottom) main_stack = from;
  for (;;) {
    begin_thread(stack);
    launched.thread(launched.closure);
    finish_thread();
    for (;;) {
      const int next = take_best();
      if (next >= 0) {
        free_stacks[free_count++] = stack;
        void* unused;
        resume(next, &unused, true);
      }
      if (next_rank < thread_count) break;
      if (exited == thread_count) {
        if (next_block()) break;
        free_stacks[free_count++] = stack;
        void* unused;
        Switch::to(&unused, main_stack_pointer, main_stack, true);
      }
      resolve();
    }
  }
}

void bound_dynamic_shared([[maybe_unused]] std::size_t bytes) {
#ifdef ASSAY_ASAN
  static std::size_t last = kSharedLimit;
  if (bytes == last) return;
  __asan_unpoison_memory_region(dynamic_arena, bytes);
  __asan_poison_memory_region(dynamic_arena + bytes, kSharedLimit - bytes);
  last = bytes;
#endif
}

}  // namespace

bool in_launch() {
  return running;
}

int launch(const Shape& shape, void (*thread)(void*), void* closure) {
  const std::string site = location(shape.file, shape.line);
  if (running)
    fatal("launch error", position() + ": a kernel launches a kernel, which is not supported", site);
  const cudaError_t error = check_limits(shape);
  if (error != cudaSuccess) return fail(error, shape.kernel, site);
  ++call.report.launches;
  used_stream(static_cast<cudaStream_t>(shape.stream), site);

  thread_count = static_cast<int>(shape.block.x * shape.block.y * shape.block.z);
  blockDim = shape.block;
  gridDim = shape.grid;
  order.set(thread_count, call.settings.schedule, call.report.launches);
  launched = {&shape, thread, closure, shared_section(reinterpret_cast<const void*>(thread)),
              BlockOrder(shape.grid, thread_count, call.settings, call.report.launches)};
  bound_dynamic_shared(shape.shared_bytes);
  if (!free_count)
    for (int i = kThreads; i >= 0; --i) free_stacks[free_count++] = i;
  main_stack = {};
  running = true;
  if (next_block()) start_fiber(&main_stack_pointer);
  running = false;
  return cudaSuccess;
}

int barrier(BarrierKind kind, int predicate, const char* file, int line) {
  const int me = current, rank = order.rank[me];
  if (barrier_count == 0) {
    barrier_file = file;
    barrier_line = line;
    barrier_kind = kind;
  } else if (line != barrier_line || kind != barrier_kind || file != barrier_file) {
    barrier_differs = barrier_differs || line != barrier_line || kind != barrier_kind ||
                      std::strcmp(file, barrier_file) != 0;
  }
  ++barrier_count;
  barrier_nonzero += predicate != 0;
  at_barrier[rank >> 6] |= std::uint64_t{1} << (rank & 63);
  threads[me].wait = Wait::barrier;
  threads[me].file = file;
  threads[me].line = line;
  if (barrier_count == thread_count - exited) complete_barrier();
  suspend();
  return barrier_result;
}

unsigned long long warp(WarpKind kind, unsigned mask, unsigned long long value, int argument, int width,
                        const char* file, int line) {
  const int me = current, lane = me & 31, warp = me >> 5;
  if (!(mask >> lane & 1)) [[unlikely]] {
    char text[128];
    std::snprintf(text, sizeof text, ": %s with mask 0x%08x, which does not name the calling lane %d",
                  name_of(kind), mask, lane);
    fatal("invalid warp mask", position() + text, location(file, line));
  }
  // The group that waits for this lane under the same mask, if any; else one begins, in the slot of this
  // lane.
  int slot = lane;
  for (std::uint32_t left = pending[warp]; left; left &= left - 1) {
    const int other = std::countr_zero(left);
    const WarpGroup& group = groups[warp][other];
    if (group.mask == mask && group.kind == kind) {
      slot = other;
    } else if ((group.mask >> lane & 1) && (mask & group.arrived)) [[unlikely]] {
      char text[256];
      std::snprintf(
          text, sizeof text, ": %s with mask 0x%08x, while lanes 0x%08x wait at %s with mask 0x%08x (%s:%d)",
          name_of(kind), mask, group.arrived, name_of(group.kind), group.mask, group.file, group.line);
      fatal("invalid warp mask", position() + text, location(file, line));
    }
  }
  WarpGroup& group = groups[warp][slot];
  if (group.arrived == 0) {
    group.mask = mask;
    group.kind = kind;
    group.file = file;
    group.line = line;
    pending[warp] |= 1u << slot;
  }
  group.arrived |= 1u << lane;
  group.values[lane] = value;
  group.arguments[lane] = argument;
  group.widths[lane] = static_cast<std::uint8_t>(width);
  threads[me].wait = Wait::warp;
  threads[me].file = file;
  threads[me].line = line;
  if (group.arrived == (mask & alive[warp])) complete_group(warp, slot);
  suspend();
  return results[me];
}

unsigned active_mask(const char* file, int line) {
  Thread& thread = threads[current];
  const int me = current;
  thread.wait = Wait::active;
  thread.file = file;
  thread.line = line;
  suspend();
  return static_cast<unsigned>(results[me]);
}

void yield_thread() {
  if (!running) return;
  threads[current].wait = Wait::yield;
  suspend();
}

void grid_barrier(const char* file, int line) {
  barrier(BarrierKind::plain, 0, file, line);
}

void note_float_atomic() {
  call.report.float_atomics = true;
}

void trap(const char* file, int line) {
  fatal("launch error", position() + ": __trap", location(file, line));
}

unsigned linear_thread() {
  return static_cast<unsigned>(current);
}

std::string position() {
  if (!running) return {};
  char text[160];
  std::snprintf(text, sizeof text, ", block (%u,%u,%u), thread (%u,%u,%u)", blockIdx.x, blockIdx.y,
                blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
  return std::string("kernel ") + launched.shape->kernel + text;
}

}  // namespace assay::cpu
