#include "kernels/worker/placement.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#endif

namespace assay {

bool Placement::near(std::uintptr_t address) const {
  constexpr std::uintptr_t kNear = 64 << 10;
  const auto start = reinterpret_cast<std::uintptr_t>(start_);
  return start_ != nullptr && address + kNear >= start && address < start + bytes_ + kNear;
}

std::int64_t Placement::distance(std::uintptr_t address) const {
  const auto start = reinterpret_cast<std::uintptr_t>(start_);
  if (address < start) return -static_cast<std::int64_t>(start - address);
  return static_cast<std::int64_t>(address - start - bytes_);
}

#if __has_feature(address_sanitizer)

namespace {
constexpr std::size_t kBand = 4096;  // that may not be touched, on both sides
}

std::byte* Placement::place(std::size_t bytes, std::uint32_t misalign, unsigned char poison) {
  release();
  void* block = nullptr;
  capacity_ = kBand + misalign + bytes + kBand;
  if (posix_memalign(&block, 256, capacity_) != 0) return nullptr;
  mapping_ = static_cast<std::byte*>(block);
  start_ = mapping_ + kBand + misalign;
  bytes_ = bytes;
  poison_ = poison;
  ASAN_POISON_MEMORY_REGION(mapping_, kBand + misalign);
  ASAN_POISON_MEMORY_REGION(start_ + bytes, kBand);
  return start_;
}

std::optional<std::int64_t> Placement::overrun() const {
  return std::nullopt;
}

void Placement::allow(Access) {}

void Placement::release_after_call() {
  release();
}

void Placement::release() {
  if (mapping_ != nullptr) {
    ASAN_UNPOISON_MEMORY_REGION(mapping_, capacity_);
    std::free(mapping_);
  }
  mapping_ = start_ = nullptr;
}

#else

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kBand = kPage;      // of poison before the start
constexpr std::size_t kGuard = 64 << 10;  // of unmapped pages on both sides
constexpr std::size_t kKeep = 16 << 20;   // capacity beyond which a mapping is not kept

// The first byte in [from, to) that is not the poison.
const std::byte* first_other(const std::byte* from, const std::byte* to, unsigned char poison) {
  return std::find_if(from, to, [&](std::byte b) { return b != std::byte{poison}; });
}

bool all_are(const std::byte* from, std::size_t n, unsigned char poison) {
  return n == 0 || (from[0] == std::byte{poison} && std::memcmp(from, from + 1, n - 1) == 0);
}

}  // namespace

std::byte* Placement::place(std::size_t bytes, std::uint32_t misalign, unsigned char poison) {
  const std::size_t needed = bytes + misalign + 256 + kBand;
  if (needed > capacity_) {
    release();
    const std::size_t capacity =
        needed <= kKeep ? std::bit_ceil(std::max(needed, 4 * kPage)) : (needed + kPage - 1) / kPage * kPage;
    void* mapping =
        mmap(nullptr, capacity + 2 * kGuard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) return nullptr;
    mapping_ = static_cast<std::byte*>(mapping);
    capacity_ = capacity;
    if (mprotect(mapping_ + kGuard, capacity_, PROT_READ | PROT_WRITE) != 0) {
      release();
      return nullptr;
    }
  }
  std::byte* const end = mapping_ + kGuard + capacity_;
  const auto top = reinterpret_cast<std::uintptr_t>(end) - bytes - misalign;
  start_ = end - (bytes + misalign) - top % 256 + misalign;
  bytes_ = bytes;
  poison_ = poison;
  std::memset(start_ - kBand, poison, kBand);
  std::memset(start_ + bytes_, poison, static_cast<std::size_t>(end - start_) - bytes_);
  return start_;
}

std::optional<std::int64_t> Placement::overrun() const {
  if (start_ == nullptr) return std::nullopt;
  const std::byte* const end = mapping_ + kGuard + capacity_;
  const std::byte* const after = start_ + bytes_;
  const auto tail = static_cast<std::size_t>(end - after);
  if (!all_are(after, tail, poison_)) return first_other(after, end, poison_) - after;
  if (!all_are(start_ - kBand, kBand, poison_)) return first_other(start_ - kBand, start_, poison_) - start_;
  return std::nullopt;
}

void Placement::allow(Access access) {
  const int protection = access == Access::none   ? PROT_NONE
                         : access == Access::read ? PROT_READ
                                                  : PROT_READ | PROT_WRITE;
  if (mapping_ != nullptr) mprotect(mapping_ + kGuard, capacity_, protection);
}

void Placement::release_after_call() {
  if (capacity_ > kKeep) release();
}

void Placement::release() {
  if (mapping_ != nullptr) munmap(mapping_, capacity_ + 2 * kGuard);
  mapping_ = start_ = nullptr;
  capacity_ = 0;
}

#endif

}  // namespace assay
