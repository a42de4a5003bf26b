#pragma once

// Device memory for one tensor, with unmapped pages before and after it, kept from call to call.
//
// Laws: place(bytes, m, ...) % 256 == m; at Side::end the tensor ends less than 256 bytes before an unmapped
// page, at Side::start it starts less than 256 bytes after one. `before` and `after` are the bytes beside it
// that are mapped and may hold poison.

#include <cstddef>
#include <cstdint>

#include "kernels/cuda/driver.h"

namespace assay::cuda {

enum class Side : std::uint8_t { end, start };

struct Placed {
  CUdeviceptr at = 0;
  std::uint32_t before = 0, after = 0;
};

// Where a tensor lies in `capacity` bytes from `base`, which is aligned to 256; requires that
// capacity >= room_for(bytes).
Placed place_in(CUdeviceptr base, std::size_t capacity, std::size_t bytes, std::uint32_t misalign, Side side);
std::size_t room_for(std::size_t bytes);

// One range of device memory between unmapped pages.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() { release(); }

  CUresult place(std::size_t bytes, std::uint32_t misalign, Side side, Placed& placed);

  // `bytes` of address space over one piece of physical memory that repeats: `period` bytes, copied from host
  // memory as often as it takes to fill whole granules.
  CUresult place_periodic(std::size_t bytes, const std::byte* contents, std::size_t period, CUdeviceptr& at);

  void release();
  void release_if_large();
  bool contains(CUdeviceptr address) const {
    return address >= reserved_ && address < reserved_ + reserved_bytes_;
  }

 private:
  CUresult reserve(std::size_t capacity);
  CUresult map(std::size_t capacity);

  CUdeviceptr reserved_ = 0;  // the first unmapped page
  std::size_t reserved_bytes_ = 0;
  std::size_t capacity_ = 0;  // mapped, after that page
};

}  // namespace assay::cuda
