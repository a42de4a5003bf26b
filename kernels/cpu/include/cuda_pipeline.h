#pragma once

// cp.async by its C names.

#include "assay_cuda.h"

inline void __pipeline_memcpy_async(void* shared, const void* global, size_t bytes, size_t zeros = 0,
                                    ASSAY_SITE) {
  if (bytes != 4 && bytes != 8 && bytes != 16)
    assay::cpu::complain("misaligned", "__pipeline_memcpy_async", "the size must be 4, 8 or 16 bytes", file,
                         line);
  else if (reinterpret_cast<size_t>(shared) % bytes != 0 || reinterpret_cast<size_t>(global) % bytes != 0)
    assay::cpu::complain("misaligned", "__pipeline_memcpy_async",
                         "both addresses must be multiples of the size", file, line);
  assay::cpu::async_copy(shared, global, static_cast<unsigned>(bytes), static_cast<unsigned>(zeros));
}
inline void __pipeline_commit() {
  assay::cpu::async_commit();
}
inline void __pipeline_wait_prior(size_t latest) {
  assay::cpu::async_wait(static_cast<unsigned>(latest));
}
