#pragma once

// Where a tensor lies within device memory that has unmapped pages on both sides.
//
// Laws: at % 256 == misalign; at Side::end the tensor ends less than 256 bytes before the unmapped page, at
// Side::start it starts less than 256 bytes after one. `before` and `after` are mapped bytes beside it, for
// poison, at most 4096 each.

#include <cstddef>
#include <cstdint>

namespace assay::cuda {

enum class Side : std::uint8_t { end, start };

struct Placed {
  std::uint64_t at = 0;
  std::uint32_t before = 0, after = 0;
};

// Where a tensor lies in `capacity` bytes from `base`, which is aligned to 256; requires that
// capacity >= room_for(bytes).
Placed place_in(std::uint64_t base, std::size_t capacity, std::size_t bytes, std::uint32_t misalign,
                Side side);
std::size_t room_for(std::size_t bytes);

}  // namespace assay::cuda
