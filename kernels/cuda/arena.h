#pragma once

// Device memory for one tensor, with unmapped pages before and after it, kept from call to call.

#include <cstddef>
#include <cstdint>

#include "kernels/cuda/driver.h"
#include "kernels/cuda/placement.h"

namespace assay::cuda {

// One range of device memory between unmapped pages.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() { release(); }

  CUresult place(std::size_t bytes, std::uint32_t misalign, Side side, Placed& placed);

  // In an allocation that ends with the tensor: for compute-sanitizer, which knows allocations to the byte.
  CUresult place_exact(std::size_t bytes, std::uint32_t misalign, Placed& placed);

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

  CUdeviceptr exact_ = 0;     // of place_exact
  CUdeviceptr reserved_ = 0;  // the first unmapped page
  std::size_t reserved_bytes_ = 0;
  std::size_t capacity_ = 0;  // mapped, after that page
};

}  // namespace assay::cuda
