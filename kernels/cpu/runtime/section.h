#pragma once

// The static __shared__ variables of the plug-in (or program) that holds a function: section .assay.shared.

#include <cstddef>

namespace assay::cpu {

struct Section {
  unsigned char* begin = nullptr;
  std::size_t size = 0;
};
Section shared_section(const void* function);

// memset and memcpy that no sanitizer sees: red zones between the variables are part of the range.
void fill(void* begin, unsigned char value, std::size_t size);
void copy_bytes(void* to, const void* from, std::size_t size);

}  // namespace assay::cpu
