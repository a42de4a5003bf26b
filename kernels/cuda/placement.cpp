#include "kernels/cuda/placement.h"

#include <algorithm>
#include <cassert>

namespace assay::cuda {
namespace {

constexpr std::size_t kBand = 4096;  // of poison on the side that has room
constexpr std::size_t kUnit = 256;

}  // namespace

std::size_t room_for(std::size_t bytes) {
  return bytes + kBand + 2 * kUnit;
}

Placed place_in(std::uint64_t base, std::size_t capacity, std::size_t bytes, std::uint32_t misalign,
                Side side) {
  assert(base % kUnit == 0 && capacity % kUnit == 0 && misalign < kUnit && capacity >= room_for(bytes));
  const std::uint64_t end = base + capacity;
  Placed placed;
  if (side == Side::start) {
    placed.at = base + misalign;
  } else {
    const std::uint64_t latest = end - bytes;
    placed.at = latest - (latest % kUnit + kUnit - misalign) % kUnit;
  }
  placed.before = static_cast<std::uint32_t>(std::min<std::size_t>(placed.at - base, kBand));
  placed.after = static_cast<std::uint32_t>(std::min<std::size_t>(end - placed.at - bytes, kBand));
  return placed;
}

}  // namespace assay::cuda
