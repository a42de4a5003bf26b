#pragma once

// Blocks that wait for other blocks, at a barrier of the grid or by looking at memory again and again, while
// another one runs. Each keeps its threads' stacks, and its copy of shared memory.

#include <vector>

#include "block.h"
#include "race.h"
#include "section.h"

namespace assay::cpu {

struct Parked {
  uint3 index;
  Block block;
  std::vector<Thread> threads;
  std::vector<std::pair<int, WarpGroup>> groups;  // those that wait, by warp * 32 + slot
  std::vector<unsigned char> statics, dynamic;
  [[no_unique_address]] race::Saved race;
};

// Copies the block that runs, and back.
Parked park(const Section& statics, std::size_t dynamic_bytes);
void unpark(const Parked& parked, const Section& statics);

}  // namespace assay::cpu
