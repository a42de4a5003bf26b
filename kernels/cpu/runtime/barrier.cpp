// Barriers of a block, and of the grid as far as one block goes.

#include <cstring>
#include <string>

#include "block.h"
#include "race.h"

namespace assay::cpu {
namespace {

std::string barrier_location() {
  return location(block.barrier_file, block.barrier_line);
}

void complete_barrier() {
  if (block.barrier_differs)
    add_finding(
        "barrier in divergent code",
        position() + ": threads of one block meet at different barriers, the first at " + barrier_location(),
        barrier_location());
  if (block.exited > 0)
    add_finding("barrier in divergent code",
                position() + ": " + std::to_string(block.exited) + " of " + std::to_string(thread_count) +
                    " threads of the block have returned and do not come to this barrier",
                barrier_location());
  if (block.barrier_kind == BarrierKind::grid) {
    block.at_grid_barrier = true;
    return;
  }
  const int count = block.barrier_nonzero;
  block.barrier_result = block.barrier_kind == BarrierKind::count ? count
                         : block.barrier_kind == BarrierKind::all ? count == block.barrier_count
                                                                  : count != 0;
  release_barrier();
}

}  // namespace

void release_barrier() {
  race::barrier();
  for (int word = 0; word * 64 < thread_count; ++word) {
    if (!block.at_barrier[word]) continue;
    block.ready[word] |= block.at_barrier[word];
    block.ready_words |= 1u << word;
    block.at_barrier[word] = 0;
  }
  block.barrier_count = block.barrier_nonzero = 0;
  block.barrier_differs = block.at_grid_barrier = false;
}

void complete_barrier_if_all_came() {
  if (block.barrier_count && block.barrier_count == thread_count - block.exited) complete_barrier();
}

int barrier(BarrierKind kind, int predicate, const char* file, int line) {
  race::settle();
  const int me = current, rank = order.rank[me];
  if (block.barrier_count == 0) {
    block.barrier_file = file;
    block.barrier_line = line;
    block.barrier_kind = kind;
  } else if (line != block.barrier_line || kind != block.barrier_kind || file != block.barrier_file) {
    block.barrier_differs = block.barrier_differs || line != block.barrier_line ||
                            kind != block.barrier_kind || std::strcmp(file, block.barrier_file) != 0;
  }
  ++block.barrier_count;
  block.barrier_nonzero += predicate != 0;
  block.at_barrier[rank >> 6] |= std::uint64_t{1} << (rank & 63);
  threads[me].wait = Wait::barrier;
  threads[me].file = file;
  threads[me].line = line;
  if (block.barrier_count == thread_count - block.exited) complete_barrier();
  suspend();
  return block.barrier_result;
}

}  // namespace assay::cpu
