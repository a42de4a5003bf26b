#include "parked.h"

namespace assay::cpu {

Parked park(const Section& statics, std::size_t dynamic_bytes) {
  Parked parked{blockIdx,
                block,
                {threads, threads + thread_count},
                {},
                std::vector<unsigned char>(statics.size),
                std::vector<unsigned char>(dynamic_bytes),
                race::park()};
  for (int warp = 0; warp * 32 < thread_count; ++warp)
    for (std::uint32_t left = block.pending[warp]; left; left &= left - 1) {
      const int slot = std::countr_zero(left);
      parked.groups.emplace_back(warp * 32 + slot, groups[warp][slot]);
      groups[warp][slot].arrived = 0;
    }
  copy_bytes(parked.statics.data(), statics.begin, statics.size);
  copy_bytes(parked.dynamic.data(), dynamic_arena, dynamic_bytes);
  block = {};
  return parked;
}

void unpark(const Parked& parked, const Section& statics) {
  blockIdx = parked.index;
  block = parked.block;
  std::copy(parked.threads.begin(), parked.threads.end(), threads);
  for (const auto& [slot, group] : parked.groups) groups[slot / 32][slot % 32] = group;
  copy_bytes(statics.begin, parked.statics.data(), statics.size);
  copy_bytes(dynamic_arena, parked.dynamic.data(), parked.dynamic.size());
  race::unpark(parked.race);
}

}  // namespace assay::cpu
