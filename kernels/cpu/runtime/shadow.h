#pragma once

// What is known of device memory, by address: who accessed it last, and whether anybody has written to it.
//
// Only pages that were declared (`track`) have a shadow; what lies beside, on the stacks of threads above
// all, is nobody's business. A page's memory has a cell for each 4 bytes, until an access needs finer ones.

#include <cstddef>
#include <cstdint>

#include "clocks.h"

namespace assay::cpu {

enum How : std::uint8_t { kPlain = 0, kAtomic = 1, kVolatile = 2 };

struct Access {
  std::uint32_t launch = 0;  // 0: none
  Stamp stamp;
  std::uint8_t how;
  std::uint32_t place;  // offset in the plug-in
};

// The last access that changed the memory, and one before it where both are atomic and not ordered; the last
// since then that wrote what was there; and two that have read it since, of different warps if possible.
struct Cell {
  Access write, earlier, same, reads[2];
};

inline constexpr std::uintptr_t kPageBytes = 4096;

struct Page {
  std::uintptr_t number;
  Cell* cells;         // null: never accessed
  std::uint8_t shift;  // a cell is for 1 << shift bytes
  std::uint8_t written[kPageBytes / 8];

  // The cells of [offset, offset + size), fine enough that they hold nothing else; null where memory is
  // short.
  Cell* cells_of(std::uintptr_t offset, std::size_t size);
};

// The page of an address, or null.
Page* page_of(std::uintptr_t address);

void track(const void* begin, std::size_t bytes, bool written);
void set_written(const void* begin, std::size_t bytes, bool written);  // of what is tracked

// Whether somebody has written any of [offset, offset + size) of a page.
inline bool any_written(const Page& page, std::uintptr_t offset, std::size_t size) {
  for (std::uintptr_t byte = offset; byte < offset + size; ++byte)
    if (page.written[byte >> 3] >> (byte & 7) & 1) return true;
  return false;
}

// Where the shadow has grown large it begins anew, and what was tracked is forgotten; true if so.
bool shrink_shadow();

}  // namespace assay::cpu
