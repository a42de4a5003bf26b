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
  std::uint32_t block = 0, clock;  // of a Stamp; blocks count from 1
  std::uint16_t thread;
  std::uint8_t how;
  std::uint32_t place;  // offset in the plug-in

  Stamp stamp() const { return {block, clock, thread}; }
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
  bool is_stack;       // of a thread, whatever lay here before
  std::uint8_t written[kPageBytes / 8];

  // The cells of [offset, offset + size), fine enough that they hold nothing else; null where memory is
  // short.
  Cell* cells_of(std::uintptr_t offset, std::size_t size) {
    if (cells && ((offset | size) & ((std::uintptr_t{1} << shift) - 1)) == 0)
      return cells + (offset >> shift);
    return finer_cells_of(offset, size);
  }
  Cell* finer_cells_of(std::uintptr_t offset, std::size_t size);
};

// The page of an address, or null. The pages that were asked for last are at hand.
Page* find_page(std::uintptr_t number);
struct Seen {
  std::uintptr_t number;
  Page* page;
};
inline constexpr std::size_t kSeen = 64;
extern Seen seen[kSeen];
inline Page* page_of(std::uintptr_t address) {
  const std::uintptr_t number = address / kPageBytes;
  Seen& s = seen[number % kSeen];
  if (s.number != number) s = {number, find_page(number)};
  return s.page;
}

void set_stack(const void* begin, std::size_t bytes);
void track(const void* begin, std::size_t bytes, bool written);
void set_written(const void* begin, std::size_t bytes, bool written);  // of what is tracked

// Whether somebody has written any of [offset, offset + size) of a page.
inline bool any_written(const Page& page, std::uintptr_t offset, std::size_t size) {
  const std::uintptr_t first = offset >> 3, last = (offset + size - 1) >> 3;
  if (first == last) return (page.written[first] >> (offset & 7)) & ((1u << size) - 1);
  for (std::uintptr_t byte = offset; byte < offset + size; ++byte)
    if (page.written[byte >> 3] >> (byte & 7) & 1) return true;
  return false;
}

// Where the shadow has grown large it begins anew, and what was tracked is forgotten; true if so.
bool shrink_shadow();

}  // namespace assay::cpu
