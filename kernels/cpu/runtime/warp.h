#pragma once

// What a warp operation gives each lane, from what each brought. No scheduling here.

#include <cstdint>

#include "state.h"

namespace assay::cpu {

struct WarpGroup {
  std::uint32_t mask = 0, arrived = 0;
  WarpKind kind = WarpKind::sync;
  std::uint64_t values[32];
  std::int32_t arguments[32];
  std::uint8_t widths[32];
  const char* file = nullptr;  // of the first lane that came
  int line = 0;
};

// Fills results[lane] for each lane that arrived. Answers a lane that reads from one which takes no part, or
// -1; such a lane gets `poison`.
int complete(const WarpGroup& group, std::uint64_t* results, std::uint64_t poison);

const char* name_of(WarpKind kind);

}  // namespace assay::cpu
