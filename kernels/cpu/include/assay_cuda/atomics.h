#pragma once

// Atomics. One OS thread runs the grid, so plain code is atomic; what they do besides is to let other threads
// run where one seems to spin.

#include <type_traits>

#include "../vector_types.h"
#include "interface.h"

namespace assay::cpu {

#ifdef ASSAY_TRACED
inline const void*& last_atomic = header_variables.last_atomic;
inline unsigned& same_atomic = header_variables.same_atomic;
#else
inline const void* last_atomic = nullptr;
inline unsigned same_atomic = 0;
#endif
inline void atomic_access(const void* address) {
  if (blocks_left_out) [[unlikely]]
    note_atomic(address);
  if (address != last_atomic) {
    last_atomic = address;
    same_atomic = 0;
  } else if (++same_atomic >= 64) {
    same_atomic = 0;
    yield_thread();
  }
}

template <class T>
concept FloatAtomic = std::is_floating_point_v<T> || (requires { typename T::assay_shuffled; });

// What trace_atomic has reported.
#ifdef ASSAY_TRACED
template <class T>
ASSAY_UNTRACED T atomic_load(const T* address) {
  return *address;
}
template <class T>
ASSAY_UNTRACED void atomic_store(T* address, T value) {
  *address = value;
}
#endif

template <class T, class F>
T atomic(T* address, F change) {
  atomic_access(address);
#ifdef ASSAY_TRACED
  trace_atomic(address, sizeof(T));
  const T old = atomic_load(address);
  atomic_store(address, static_cast<T>(change(old)));
#else
  const T old = *address;
  *address = change(old);
#endif
  return old;
}
template <class T>
bool compare_and_swap(T* address, T compare, T value, T& old) {
#ifdef ASSAY_TRACED
  trace_atomic(address, sizeof(T));
  old = atomic_load(address);
  if (old == compare) atomic_store(address, value);
#else
  old = *address;
  if (old == compare) *address = value;
#endif
  return old == compare;
}

}  // namespace assay::cpu

#define ASSAY_ATOMIC(NAME, T, RESULT)                                                                   \
  inline T NAME(T* address, T value) {                                                                  \
    return assay::cpu::atomic(address, [=]([[maybe_unused]] T old) { return static_cast<T>(RESULT); }); \
  }                                                                                                     \
  inline T NAME##_block(T* address, T value) {                                                          \
    return NAME(address, value);                                                                        \
  }                                                                                                     \
  inline T NAME##_system(T* address, T value) {                                                         \
    return NAME(address, value);                                                                        \
  }
#define ASSAY_FLOAT_ADD(T)                                                     \
  inline T atomicAdd(T* address, T value) {                                    \
    assay::cpu::note_float_atomic();                                           \
    return assay::cpu::atomic(address, [=](T old) { return T(old + value); }); \
  }                                                                            \
  inline T atomicAdd_block(T* address, T value) {                              \
    return atomicAdd(address, value);                                          \
  }                                                                            \
  inline T atomicAdd_system(T* address, T value) {                             \
    return atomicAdd(address, value);                                          \
  }

#define ASSAY_WRAPPING(T)                               \
  ASSAY_ATOMIC(atomicMin, T, value < old ? value : old) \
  ASSAY_ATOMIC(atomicMax, T, value > old ? value : old) \
  ASSAY_ATOMIC(atomicAnd, T, old& value)                \
  ASSAY_ATOMIC(atomicOr, T, old | value)                \
  ASSAY_ATOMIC(atomicXor, T, old ^ value)               \
  ASSAY_ATOMIC(atomicExch, T, value)

// Addition wraps in every integer type.
ASSAY_ATOMIC(atomicAdd, int, static_cast<unsigned>(old) + static_cast<unsigned>(value))
ASSAY_ATOMIC(atomicAdd, unsigned, old + value)
ASSAY_ATOMIC(atomicAdd, unsigned long long, old + value)
ASSAY_ATOMIC(atomicSub, int, static_cast<unsigned>(old) - static_cast<unsigned>(value))
ASSAY_ATOMIC(atomicSub, unsigned, old - value)
ASSAY_WRAPPING(int)
ASSAY_WRAPPING(unsigned)
ASSAY_WRAPPING(long long)
ASSAY_WRAPPING(unsigned long long)
ASSAY_ATOMIC(atomicExch, float, value)
ASSAY_ATOMIC(atomicExch, double, value)
ASSAY_ATOMIC(atomicInc, unsigned, old >= value ? 0 : old + 1)
ASSAY_ATOMIC(atomicDec, unsigned, old == 0 || old > value ? value : old - 1)
ASSAY_FLOAT_ADD(float)
ASSAY_FLOAT_ADD(double)

inline float2 atomicAdd(float2* address, float2 value) {
  return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};
}
inline float4 atomicAdd(float4* address, float4 value) {
  return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y), atomicAdd(&address->z, value.z),
          atomicAdd(&address->w, value.w)};
}

#define ASSAY_CAS(T)                                                 \
  inline T atomicCAS(T* address, T compare, T value) {               \
    T old;                                                           \
    if (!assay::cpu::compare_and_swap(address, compare, value, old)) \
      assay::cpu::atomic_access(address);                            \
    else if (assay::cpu::blocks_left_out) [[unlikely]]               \
      assay::cpu::note_atomic(address);                              \
    return old;                                                      \
  }                                                                  \
  inline T atomicCAS_block(T* address, T compare, T value) {         \
    return atomicCAS(address, compare, value);                       \
  }                                                                  \
  inline T atomicCAS_system(T* address, T compare, T value) {        \
    return atomicCAS(address, compare, value);                       \
  }
ASSAY_CAS(int)
ASSAY_CAS(unsigned)
ASSAY_CAS(unsigned long long)
ASSAY_CAS(unsigned short)
#undef ASSAY_CAS
