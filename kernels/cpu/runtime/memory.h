#pragma once

// Device memory: each allocation is exactly as long as asked for, at a 256-byte boundary, so that
// AddressSanitizer sees a step past it; fresh memory holds the call's poison.

#include "state.h"

namespace assay::cpu {

inline constexpr std::size_t device_memory_bytes = std::size_t{80} << 30;

void begin_allocations();
void end_allocations(CallReport& report);  // counts what is left of those made since

}  // namespace assay::cpu
