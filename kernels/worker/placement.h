#pragma once

// Where a tensor lies while the kernel runs: alone, with nothing legal beside it.
//
// fast, race:    the end as near to an unmapped page as the alignment allows (under 256 bytes), poison
//                in what is left between and for a page before the start, checked after the call
// checked build: a heap block of its own, of which AddressSanitizer may let pass only the tensor's bytes
//
// Laws: place(bytes, m) % 256 == m; the contents are undefined until the caller writes them.

#include <cstddef>
#include <cstdint>
#include <optional>

namespace assay {

class Placement {
 public:
  Placement() = default;
  Placement(const Placement&) = delete;
  Placement& operator=(const Placement&) = delete;
  ~Placement() { release(); }

  // The tensor's address, or null where memory does not suffice.
  std::byte* place(std::size_t bytes, std::uint32_t misalign, unsigned char poison);

  // The first byte beside the tensor that no longer holds the poison, as bytes from its start (negative) or
  // from its end.
  std::optional<std::int64_t> overrun() const;

  // What the kernel may do to the tensor until further notice; nothing changes in the checked build.
  enum class Access : std::uint8_t { none, read, write };
  void allow(Access access);

  // Gives back what a large or a checked tensor took.
  void release_after_call();

  // Whether an address belongs to the tensor or to the guard around it, and where: as overrun(); inside the
  // tensor it is empty. `near` is false for addresses that are not ours.
  bool near(std::uintptr_t address) const;
  std::int64_t distance(std::uintptr_t address) const;

 private:
  void release();

  std::byte* start_ = nullptr;  // of the tensor
  std::size_t bytes_ = 0;
  unsigned char poison_ = 0;
  std::byte* mapping_ = nullptr;  // fast: guard, capacity, guard; checked: the heap block
  std::size_t capacity_ = 0;
};

}  // namespace assay
