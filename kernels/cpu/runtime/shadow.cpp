#ifdef ASSAY_RACE

#include "shadow.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace assay::cpu {
namespace {

constexpr std::size_t kMostCellBytes = std::size_t{768} << 20;
constexpr std::size_t kKeptCellBytes = std::size_t{64} << 20;
constexpr std::size_t kKeptPages = 16 << 10;
std::size_t cell_bytes = 0, page_count = 0;

// Open addressing; at most half full.
[[clang::no_destroy]] std::vector<Page*> table(1 << 12);

std::size_t slot_of(std::uintptr_t number) {
  std::size_t slot = number * 0x9E3779B97F4A7C15ull >> 20 & (table.size() - 1);
  while (table[slot] && table[slot]->number != number) slot = (slot + 1) & (table.size() - 1);
  return slot;
}

Page& make_page(std::uintptr_t number) {
  std::size_t slot = slot_of(number);
  if (table[slot]) return *table[slot];
  seen[number % kSeen] = {};
  if (2 * ++page_count > table.size()) {
    std::vector<Page*> old(2 * table.size());
    old.swap(table);
    for (Page* page : old)
      if (page) table[slot_of(page->number)] = page;
    slot = slot_of(number);
  }
  Page* const page = static_cast<Page*>(std::malloc(sizeof(Page)));
  *page = {number, nullptr, 2, false, {}};
  std::memset(page->written, 0xFF, sizeof page->written);
  return *(table[slot] = page);
}

std::size_t bytes_of_cells(int shift) {
  return (kPageBytes >> shift) * sizeof(Cell);
}

Cell* new_cells(int shift) {
  const std::size_t bytes = bytes_of_cells(shift);
  if (cell_bytes + bytes > kMostCellBytes) return nullptr;
  cell_bytes += bytes;
  return static_cast<Cell*>(std::calloc(1, bytes));
}

template <class F>
void for_pages(const void* begin, std::size_t bytes, F visit) {
  auto at = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t end = at + bytes;
  while (at < end) {
    const std::uintptr_t next = std::min((at / kPageBytes + 1) * kPageBytes, end);
    visit(at / kPageBytes, at % kPageBytes, next - at);
    at = next;
  }
}

void mark(Page& page, std::uintptr_t offset, std::size_t bytes, bool written) {
  const auto mark_bit = [&](std::uintptr_t byte) {
    const auto bit = static_cast<std::uint8_t>(1u << (byte & 7));
    if (written)
      page.written[byte >> 3] |= bit;
    else
      page.written[byte >> 3] &= static_cast<std::uint8_t>(~bit);
  };
  std::uintptr_t at = offset;
  const std::uintptr_t end = offset + bytes;
  for (; at < end && at % 8 != 0; ++at) mark_bit(at);
  const std::size_t whole = (end - at) / 8;
  std::memset(page.written + at / 8, written ? 0xFF : 0, whole);
  for (at += 8 * whole; at < end; ++at) mark_bit(at);
}

}  // namespace

Cell* Page::finer_cells_of(std::uintptr_t offset, std::size_t size) {
  const int needed = std::min(std::countr_zero(offset | size | 4), 2);
  if (!cells) cells = new_cells(shift = static_cast<std::uint8_t>(needed));
  if (needed < shift && cells) {
    Cell* const finer = new_cells(needed);
    for (std::size_t i = 0; finer && i < kPageBytes >> needed; ++i) finer[i] = cells[i >> (shift - needed)];
    std::free(cells);
    cell_bytes -= bytes_of_cells(shift);
    cells = finer;
    shift = static_cast<std::uint8_t>(needed);
  }
  return cells ? cells + (offset >> shift) : nullptr;
}

Seen seen[kSeen] = {};

Page* find_page(std::uintptr_t number) {
  return table[slot_of(number)];
}

void track(const void* begin, std::size_t bytes, bool written) {
  for_pages(begin, bytes, [&](std::uintptr_t number, std::uintptr_t offset, std::size_t size) {
    Page& page = make_page(number);
    mark(page, offset, size, written);
  });
}

void set_stack(const void* begin, std::size_t bytes) {
  for_pages(begin, bytes, [&](std::uintptr_t number, std::uintptr_t offset, std::size_t size) {
    Page* const page = table[slot_of(number)];
    if (!page) return;
    mark(*page, offset, size, true);
    page->is_stack = true;
  });
}

void set_written(const void* begin, std::size_t bytes, bool written) {
  for_pages(begin, bytes, [&](std::uintptr_t number, std::uintptr_t offset, std::size_t size) {
    if (Page* const page = table[slot_of(number)]) mark(*page, offset, size, written);
  });
}

bool shrink_shadow() {
  if (cell_bytes < kKeptCellBytes && page_count < kKeptPages) return false;
  for (Seen& s : seen) s = {};
  for (Page*& page : table) {
    if (page) std::free(page->cells);
    std::free(page);
    page = nullptr;
  }
  cell_bytes = page_count = 0;
  return true;
}

}  // namespace assay::cpu

#endif
