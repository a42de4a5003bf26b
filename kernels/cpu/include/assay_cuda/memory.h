#pragma once

// Loads and stores with cache hints, address space queries.

#include <stddef.h>

#include <type_traits>

#define ASSAY_LOAD(NAME)     \
  template <class T>         \
  T NAME(const T* pointer) { \
    return *pointer;         \
  }
ASSAY_LOAD(__ldg)
ASSAY_LOAD(__ldca)
ASSAY_LOAD(__ldcg)
ASSAY_LOAD(__ldcs)
ASSAY_LOAD(__ldcv)
ASSAY_LOAD(__ldlu)
#undef ASSAY_LOAD
#define ASSAY_STORE(NAME)                                \
  template <class T>                                     \
  void NAME(T* pointer, std::type_identity_t<T> value) { \
    *pointer = value;                                    \
  }
ASSAY_STORE(__stcg)
ASSAY_STORE(__stcs)
ASSAY_STORE(__stwb)
ASSAY_STORE(__stwt)
#undef ASSAY_STORE

inline size_t __cvta_generic_to_shared(const void* pointer) {
  return reinterpret_cast<size_t>(pointer);
}
inline size_t __cvta_generic_to_global(const void* pointer) {
  return reinterpret_cast<size_t>(pointer);
}
inline void* __cvta_shared_to_generic(size_t pointer) {
  return reinterpret_cast<void*>(pointer);
}
