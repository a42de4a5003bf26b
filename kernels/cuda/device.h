#pragma once

// What device.cu gets: where a tensor lies on the device, and where its contents are in host memory.

#include <cstdint>

namespace assay::cuda {

constexpr unsigned kMostSlots = 24;

struct Slot {
  unsigned char* at;    // on the device
  unsigned char* host;  // mapped host memory: contents of an input, place for those of an output
  std::uint64_t bytes;
  std::uint32_t before;  // bytes of poison around it
  std::uint32_t after;
  std::uint32_t is_output;
};

struct Slots {
  Slot slot[kMostSlots];
  std::uint32_t count;
  std::uint32_t poison;  // one byte
};

// What a call did beside its outputs, by slot; in mapped host memory, and only ever raised.
struct Marks {
  std::uint32_t changed[kMostSlots];  // an input does not hold its contents any more
  std::uint32_t overrun[kMostSlots];  // the poison around it is gone
};

}  // namespace assay::cuda
