// The report of a block that cannot go on: who waits where.

#include <cstdio>
#include <string>
#include <vector>

#include "block.h"

namespace assay::cpu {
namespace {

std::string name_of_thread(int thread) {
  const uint3 i = threads[thread].index;
  char text[64];
  std::snprintf(text, sizeof text, "(%u,%u,%u)", i.x, i.y, i.z);
  return text;
}

}  // namespace

void deadlock() {
  struct Place {
    Wait wait;
    const char* file;
    int line, count, first;
  };
  std::vector<Place> places;
  for (int rank = 0; rank < thread_count; ++rank) {
    const int t = order.thread[rank];
    if (!(block.alive[t >> 5] >> (t & 31) & 1)) continue;
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
      for (std::uint32_t left = block.pending[place.first >> 5]; left; left &= left - 1) {
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
  if (block.exited) text += "\n  " + std::to_string(block.exited) + " have returned";
  // A warp operation that lanes of its mask miss is the cause where there is one.
  const Place* cause = &places.front();
  for (const Place& place : places)
    if (place.wait == Wait::warp) cause = &place;
  fatal(cause->wait == Wait::warp ? "invalid warp mask" : "deadlock", text,
        location(cause->file, cause->line));
}

}  // namespace assay::cpu
