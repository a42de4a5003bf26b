// Runs a grid on fibers of one OS thread.
//
// Blocks run one after the other; one that waits for others is parked meanwhile (parked.h). A thread starts
// only when nothing of its block that has started can run, on the stack of the last that ended; so a kernel
// without barriers uses one stack and switches never. Of the threads that can run, the one of best rank runs,
// always: rank is the schedule (ascending, descending, pseudo-random), which makes code that depends on
// another order show.

#include <cstdio>
#include <deque>
#include <string>
#include <vector>

#include "block.h"
#include "fiber.h"
#include "limits.h"
#include "memory.h"
#include "parked.h"
#include "race.h"
#include "section.h"

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace assay::cpu {

LaunchLimits launch_limits;
bool blocks_left_out;
// What lies behind is never accessible: an access past the most that a block may have.
constexpr std::size_t kArenaTail = 4096;
alignas(1024) unsigned char dynamic_arena[kSharedLimit + kArenaTail];

Block block;
int thread_count, current;
Thread threads[kThreads];
std::uint64_t results[kThreads];
WarpGroup groups[kWarps][32];
ThreadOrder order;

namespace {

// How often the threads of a block may all find nothing to do before another block runs.
constexpr int kIdleRounds = 16;

struct Launched {
  const Shape* shape = nullptr;
  void (*thread)(void*) = nullptr;
  void* closure = nullptr;
  Section statics;
  BlockOrder blocks;
  bool blocks_left = false;  // that have not started
  std::uint64_t finished = 0;
  cudaError_t refused = cudaSuccess;
} launched;

// Blocks that may run again, and those that wait at the barrier of the grid.
[[clang::no_destroy]] std::deque<Parked> idle, at_grid;

int free_stacks[kMostStacks], free_count, stacks_taken, starting_stack;
void* main_stack_pointer;
Stack main_stack;
bool running;

// --- blocks ------------------------------------------------------------------------------------------

// A block that has not started, if there is one and stacks for it.
bool start_block() {
  const int in_use = stacks_taken - free_count;
  if (!launched.blocks_left || in_use + thread_count >= kMostStacks) return false;
  launched.blocks_left = launched.blocks.next(&blockIdx);
  if (!launched.blocks_left) return false;
  ++call.report.blocks;
  call.report.threads += thread_count;
  block = {};
  for (int warp = 0; warp * 32 < thread_count; ++warp) {
    const int lanes = thread_count - warp * 32;
    block.alive[warp] = lanes >= 32 ? ~0u : (1u << lanes) - 1;
  }
  if (launched.statics.size) fill(launched.statics.begin, call.settings.poison, launched.statics.size);
  if (launched.shape->shared_bytes) fill(dynamic_arena, call.settings.poison, launched.shape->shared_bytes);
  race::begin_block(thread_count);
  return true;
}

bool wake_yielded() {
  bool any = false;
  for (int t = 0; t < thread_count; ++t) {
    if (threads[t].wait != Wait::yield || !(block.alive[t >> 5] >> (t & 31) & 1)) continue;
    threads[t].wait = Wait::running;
    make_ready(t);
    any = true;
  }
  return any;
}

void take(std::deque<Parked>& from) {
  unpark(from.front(), launched.statics);
  from.pop_front();
  block.idle_rounds = 0;
  if (block.at_grid_barrier)
    release_barrier();
  else
    wake_yielded();
}

void release_grid() {
  if (launched.finished)
    fatal("deadlock",
          position() + ": " + std::to_string(launched.finished) +
              " blocks of the grid have returned and do not come to this barrier of the grid",
          location(at_grid.front().block.barrier_file, at_grid.front().block.barrier_line));
  idle.swap(at_grid);
  race::grid_barrier();
}

// The block that runs next, now that the last has ended or is parked: one that is new, or the one that waits
// longest. False where all have ended.
bool next_block() {
  if (start_block()) return true;
  if (idle.empty() && !at_grid.empty()) release_grid();
  if (idle.empty()) return false;
  take(idle);
  return true;
}

// Parks the block that runs and loads another; answers where the parked threads' state is now.
Thread* switch_blocks() {
  auto& queue = block.at_grid_barrier ? at_grid : idle;
  queue.push_back(park(launched.statics, launched.shape->shared_bytes));
  Thread* const parked = queue.back().threads.data();
  next_block();
  return parked;
}

bool resolve_active() {
  for (int rank = 0; rank < thread_count; ++rank) {
    const int first = order.thread[rank];
    if (threads[first].wait != Wait::active) continue;
    std::uint32_t lanes = 0;
    const int warp = first >> 5;
    for (std::uint32_t left = block.alive[warp]; left; left &= left - 1) {
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
    return true;
  }
  return false;
}

// Nothing is ready and all threads of the block have started: what waits for just that goes on, or another
// block does, else it is a deadlock. Answers where the threads of the block that ran are parked, if so.
Thread* resolve() {
  if (block.at_grid_barrier) return switch_blocks();
  if (resolve_active()) return nullptr;
  const bool others = launched.blocks_left || !idle.empty();
  if (others && block.idle_rounds >= kIdleRounds) return switch_blocks();
  ++block.idle_rounds;
  if (!wake_yielded()) deadlock();
  return nullptr;
}

// --- running -----------------------------------------------------------------------------------------

void fiber_main();

void start_fiber(void** saved) {
  starting_stack = free_count ? free_stacks[--free_count] : stacks_taken++;
  const Stack stack = stack_of(starting_stack);
  Switch::to(saved, prepare(stack, fiber_main, starting_stack), stack, false);
}

void begin_thread(int stack) {
  const int t = order.thread[block.next_rank++];
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
  if (async_copies) [[unlikely]]
    async_forget();
}

void finish_thread() {
  race::settle();
  ++block.exited;
  block.alive[current >> 5] &= ~(1u << (current & 31));
  threads[current].wait = Wait::running;
  complete_groups_without(current);
  complete_barrier_if_all_came();
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
      if (block.next_rank < thread_count) break;
      if (block.exited == thread_count) {
        ++launched.finished;
        if (next_block()) continue;
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
  static std::size_t last = ~std::size_t{0};
  if (bytes == last) return;
  __asan_unpoison_memory_region(dynamic_arena, bytes);
  __asan_poison_memory_region(dynamic_arena + bytes, kSharedLimit + kArenaTail - bytes);
  last = bytes;
#endif
}

// The threads of a launch that was refused never go on: their frames and what they wait for are forgotten.
void forget_threads() {
  block = {};
  for (auto& warp : groups)
    for (WarpGroup& group : warp) group.arrived = 0;
  idle.clear();
  at_grid.clear();
#ifdef ASSAY_ASAN
  for (int i = 0; i < stacks_taken; ++i) __asan_unpoison_memory_region(stacks[i].bottom, stacks[i].size);
#endif
  free_count = stacks_taken = 0;
}

}  // namespace

void suspend_slowly(int me) {
  void** saved = &threads[me].stack_pointer;
  const uint3 mine = blockIdx;
  bool parked = false;  // the block of this thread
  for (;;) {
    const int next = take_best();
    if (next == me && !parked) break;
    if (next >= 0) {
      resume(next, saved, false);
      break;
    }
    if (block.next_rank < thread_count) {
      start_fiber(saved);
      break;
    }
    Thread* const where = resolve();
    const bool back = blockIdx.x == mine.x && blockIdx.y == mine.y && blockIdx.z == mine.z;
    if (back)
      saved = &threads[me].stack_pointer;
    else if (!parked)
      saved = &where[me].stack_pointer;
    parked = !back;
  }
}

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
  launch_limits = {static_cast<unsigned>(thread_count), static_shared_limit(shape)};
  order.set(thread_count, call.settings.schedule, call.report.launches);
  launched = {&shape,
              thread,
              closure,
              shared_section(reinterpret_cast<const void*>(thread)),
              BlockOrder(shape.grid, thread_count, call.settings, call.report.launches),
              true,
              0,
              cudaSuccess};
  blocks_left_out = launched.blocks.leaves_out();
  bound_dynamic_shared(shape.shared_bytes);
  main_stack = {};
  const DeviceMemoryInUse use;
  race::begin_launch(reinterpret_cast<const void*>(thread), launched.statics.begin, launched.statics.size,
                     shape.shared_bytes, !blocks_left_out);
  running = true;
  if (start_block()) start_fiber(&main_stack_pointer);
  running = false;
  race::end_launch();
  blocks_left_out = false;
  if (launched.refused == cudaSuccess) return cudaSuccess;
  forget_threads();
  return fail(launched.refused, shape.kernel, site);
}

void refuse_launch() {
  launched.refused = cudaErrorInvalidValue;
  void* unused;
  Switch::to(&unused, main_stack_pointer, main_stack, true);
  __builtin_unreachable();
}

void yield_thread() {
  if (!running) return;
  race::settle();
  threads[current].wait = Wait::yield;
  suspend();
}

void note_atomic(const void* address) {
  const auto* const at = static_cast<const unsigned char*>(address);
  const auto within = [&](const unsigned char* begin, std::size_t size) {
    return at >= begin && at < begin + size;
  };
  if (!within(dynamic_arena, sizeof dynamic_arena) && !within(launched.statics.begin, launched.statics.size))
    ++call.report.dependences;
}

void grid_barrier(const char* file, int line) {
  if (blocks_left_out) ++call.report.dependences;
  if (!launched.shape->cooperative)
    add_finding("launch error",
                position() +
                    ": a barrier of the grid in a kernel that was not launched with "
                    "cudaLaunchCooperativeKernel",
                location(file, line));
  barrier(BarrierKind::grid, 0, file, line);
}

void complain(const char* kind, const char* name, const char* text, const char* file, int line) {
  add_finding(kind, position() + ": " + name + ": " + text, location(file, line));
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

const char* kernel_name() {
  return launched.shape ? launched.shape->kernel : "";
}

std::string position() {
  if (!running) return {};
  char text[160];
  std::snprintf(text, sizeof text, ", block (%u,%u,%u), thread (%u,%u,%u)", blockIdx.x, blockIdx.y,
                blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
  return std::string("kernel ") + launched.shape->kernel + text;
}

}  // namespace assay::cpu
