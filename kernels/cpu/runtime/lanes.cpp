// Operations of a warp: lanes deposit what they bring, the last of them completes the operation.

#include <cstdio>
#include <string>

#include "block.h"
#include "race.h"

namespace assay::cpu {
namespace {

void complete_group(int warp, int slot) {
  WarpGroup& group = groups[warp][slot];
  const std::uint64_t poison = 0x0101010101010101ull * call.settings.poison;
  const int stray = complete(group, &results[warp * 32], poison);
  if (stray >= 0) [[unlikely]]
    add_note("undefined shuffle value",
             position() + ": " + name_of(group.kind) + ": lane " + std::to_string(stray) +
                 " reads from a lane that takes no part",
             location(group.file, group.line));
  race::warp(warp, group.arrived);
  make_ready(warp, group.arrived);
  group.arrived = 0;
  block.pending[warp] &= ~(1u << slot);
}

}  // namespace

void complete_groups_without(int thread) {
  const int warp = thread >> 5;
  for (std::uint32_t left = block.pending[warp]; left; left &= left - 1) {
    const int slot = std::countr_zero(left);
    const WarpGroup& group = groups[warp][slot];
    if (group.arrived == (group.mask & block.alive[warp])) complete_group(warp, slot);
  }
}

unsigned long long warp(WarpKind kind, unsigned mask, unsigned long long value, int argument, int width,
                        const char* file, int line) {
  race::settle();
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
  for (std::uint32_t left = block.pending[warp]; left; left &= left - 1) {
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
    block.pending[warp] |= 1u << slot;
  }
  group.arrived |= 1u << lane;
  group.values[lane] = value;
  group.arguments[lane] = argument;
  group.widths[lane] = static_cast<std::uint8_t>(width);
  threads[me].wait = Wait::warp;
  threads[me].file = file;
  threads[me].line = line;
  if (group.arrived == (mask & block.alive[warp])) complete_group(warp, slot);
  suspend();
  return results[me];
}

unsigned active_mask(const char* file, int line) {
  race::settle();
  Thread& thread = threads[current];
  const int me = current;
  thread.wait = Wait::active;
  thread.file = file;
  thread.line = line;
  suspend();
  return static_cast<unsigned>(results[me]);
}

}  // namespace assay::cpu
