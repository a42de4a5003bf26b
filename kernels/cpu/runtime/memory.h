#pragma once

// Device memory: each allocation is exactly as long as asked for, at a 256-byte boundary, so that
// AddressSanitizer sees a step past it; fresh memory holds the call's poison.

#include "state.h"

namespace assay::cpu {

inline constexpr std::size_t device_memory_bytes = std::size_t{80} << 30;

// While it lives, device memory may be touched.
class DeviceMemoryInUse {
 public:
  DeviceMemoryInUse() {
    if (call.settings.device_memory_in_use) call.settings.device_memory_in_use(true);
  }
  ~DeviceMemoryInUse() {
    if (call.settings.device_memory_in_use) call.settings.device_memory_in_use(false);
  }
  DeviceMemoryInUse(const DeviceMemoryInUse&) = delete;
  DeviceMemoryInUse& operator=(const DeviceMemoryInUse&) = delete;
};

// The allocation that an address is in; empty where it is in none.
MemoryRange allocation_at(const void* address);
std::vector<MemoryRange> all_allocations();

void begin_allocations();
void end_allocations(CallReport& report);  // counts what is left of those made since

}  // namespace assay::cpu
