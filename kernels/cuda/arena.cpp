#include "kernels/cuda/arena.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace assay::cuda {
namespace {

constexpr std::size_t kKeep = 64 << 20;  // capacity beyond which memory is not kept from call to call

CUmemAllocationProp properties() {
  CUmemAllocationProp p{};
  p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  p.location.id = 0;
  return p;
}

std::size_t granule() {
  static const std::size_t size = [] {
    std::size_t bytes = 0;
    const CUmemAllocationProp p = properties();
    driver().MemGetAllocationGranularity(&bytes, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    return std::max<std::size_t>(bytes, 1);
  }();
  return size;
}

std::size_t whole(std::size_t bytes) {
  return (bytes + granule() - 1) / granule() * granule();
}

CUresult allow(CUdeviceptr at, std::size_t bytes) {
  CUmemAccessDesc access{};
  access.location = properties().location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return driver().MemSetAccess(at, bytes, &access, 1);
}

}  // namespace

CUresult Arena::reserve(std::size_t capacity) {
  release();
  const std::size_t bytes = capacity + 2 * granule();
  if (const CUresult code = driver().MemAddressReserve(&reserved_, bytes, 0, 0, 0); code != CUDA_SUCCESS) {
    reserved_ = 0;
    return code;
  }
  reserved_bytes_ = bytes;
  return CUDA_SUCCESS;
}

CUresult Arena::map(std::size_t capacity) {
  const Driver& d = driver();
  if (const CUresult code = reserve(capacity); code != CUDA_SUCCESS) return code;
  CUmemGenericAllocationHandle memory{};
  const CUmemAllocationProp p = properties();
  CUresult code = d.MemCreate(&memory, capacity, &p, 0);
  if (code == CUDA_SUCCESS) {
    code = d.MemMap(reserved_ + granule(), capacity, 0, memory, 0);
    d.MemRelease(memory);  // the mapping keeps it
  }
  if (code == CUDA_SUCCESS) {
    capacity_ = capacity;
    code = allow(reserved_ + granule(), capacity);
  }
  if (code != CUDA_SUCCESS) release();
  return code;
}

CUresult Arena::place(std::size_t bytes, std::uint32_t misalign, Side side, Placed& placed) {
  const std::size_t needed = whole(room_for(bytes));
  if (needed > capacity_) {
    if (const CUresult code = map(needed <= kKeep ? std::bit_ceil(needed) : needed); code != CUDA_SUCCESS)
      return code;
  }
  placed = place_in(reserved_ + granule(), capacity_, bytes, misalign, side);
  return CUDA_SUCCESS;
}

CUresult Arena::place_exact(std::size_t bytes, std::uint32_t misalign, Placed& placed) {
  release();
  if (const CUresult code = driver().MemAlloc(&exact_, std::max<std::size_t>(misalign + bytes, 1));
      code != CUDA_SUCCESS) {
    exact_ = 0;
    return code;
  }
  placed = {exact_ + misalign, misalign, 0};
  return CUDA_SUCCESS;
}

CUresult Arena::place_periodic(std::size_t bytes, const std::byte* contents, std::size_t period,
                               CUdeviceptr& at) {
  const Driver& d = driver();
  // Few mappings of a large piece are made faster than many of a small one.
  constexpr std::size_t kPiece = 64 << 20;
  const std::size_t least = std::lcm(period, granule());
  const std::size_t unit = std::max(least, std::min(kPiece, bytes) / least * least);
  const std::size_t capacity = (std::max<std::size_t>(bytes, 1) + unit - 1) / unit * unit;
  if (const CUresult code = reserve(capacity); code != CUDA_SUCCESS) return code;
  CUmemGenericAllocationHandle memory{};
  const CUmemAllocationProp p = properties();
  CUresult code = d.MemCreate(&memory, unit, &p, 0);
  if (code != CUDA_SUCCESS) return code;
  at = reserved_ + granule();
  for (std::size_t done = 0; done < capacity && code == CUDA_SUCCESS; done += unit) {
    code = d.MemMap(at + done, unit, 0, memory, 0);
    if (code == CUDA_SUCCESS) capacity_ = done + unit;
  }
  d.MemRelease(memory);
  if (code == CUDA_SUCCESS) code = allow(at, capacity);
  for (std::size_t done = 0; done < unit && code == CUDA_SUCCESS; done += period)
    code = d.MemcpyHtoD(at + done, contents, period);
  if (code != CUDA_SUCCESS) release();
  return code;
}

void Arena::release() {
  const Driver& d = driver();
  if (capacity_ != 0) d.MemUnmap(reserved_ + granule(), capacity_);
  if (reserved_ != 0) d.MemAddressFree(reserved_, reserved_bytes_);
  if (exact_ != 0) d.MemFree(exact_);
  reserved_ = exact_ = 0;
  reserved_bytes_ = capacity_ = 0;
}

void Arena::release_if_large() {
  if (capacity_ > kKeep) release();
}

}  // namespace assay::cuda
