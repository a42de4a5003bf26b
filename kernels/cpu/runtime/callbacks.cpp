// What clang calls before each access in code that is compiled with its thread sanitizer (flags.h). The names
// are the compiler's; the runtime that it has for them is not linked.

#ifdef ASSAY_RACE

#include <cstddef>
#include <cstdint>

#include "accesses.h"

using namespace assay::cpu;
using race::watching;

// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

#define ACCESSES(PREFIX, BYTES, HOW)                                        \
  void __tsan_##PREFIX##read##BYTES(void* at) {                             \
    if (watching) race::read(at, BYTES, HOW, __builtin_return_address(0));  \
  }                                                                         \
  void __tsan_##PREFIX##write##BYTES(void* at) {                            \
    if (watching) race::write(at, BYTES, HOW, __builtin_return_address(0)); \
  }
#define BOTH(PREFIX, BYTES)                                \
  void __tsan_##PREFIX##read_write##BYTES(void* at) {      \
    if (!watching) return;                                 \
    const void* const place = __builtin_return_address(0); \
    race::read(at, BYTES, kPlain, place);                  \
    race::write(at, BYTES, kPlain, place);                 \
  }
#define ALL(BYTES)                                \
  ACCESSES(, BYTES, kPlain)                       \
  ACCESSES(unaligned_, BYTES, kPlain)             \
  ACCESSES(volatile_, BYTES, kVolatile)           \
  ACCESSES(unaligned_volatile_, BYTES, kVolatile) \
  BOTH(, BYTES)                                   \
  BOTH(unaligned_, BYTES)
ALL(1)
ALL(2)
ALL(4)
ALL(8)
ALL(16)
#undef ALL
#undef BOTH
#undef ACCESSES

void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  if (watching)
    race::move(to, from, bytes, __builtin_return_address(0));
  else
    __builtin_memcpy(to, from, bytes);
  return to;
}
void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  if (watching)
    race::move(to, from, bytes, __builtin_return_address(0));
  else
    __builtin_memmove(to, from, bytes);
  return to;
}
void* __tsan_memset(void* to, int value, std::size_t bytes) {
  if (watching)
    race::fill(to, value, bytes, __builtin_return_address(0));
  else
    __builtin_memset(to, value, bytes);
  return to;
}

// One OS thread runs all: plain operations are atomic.
#define RMW(T, BITS, NAME, RESULT)                                                          \
  T __tsan_atomic##BITS##_##NAME(volatile T* at, T value, int) {                            \
    if (watching) race::change(const_cast<T*>(at), sizeof(T), __builtin_return_address(0)); \
    const T old = *at;                                                                      \
    *at = static_cast<T>(RESULT);                                                           \
    return old;                                                                             \
  }
#define ATOMICS(T, BITS)                                                                            \
  T __tsan_atomic##BITS##_load(const volatile T* at, int) {                                         \
    if (watching) race::read(const_cast<T*>(at), sizeof(T), kAtomic, __builtin_return_address(0));  \
    return *at;                                                                                     \
  }                                                                                                 \
  void __tsan_atomic##BITS##_store(volatile T* at, T value, int) {                                  \
    if (watching) race::write(const_cast<T*>(at), sizeof(T), kAtomic, __builtin_return_address(0)); \
    *at = value;                                                                                    \
  }                                                                                                 \
  T __tsan_atomic##BITS##_compare_exchange_val(volatile T* at, T expected, T value, int, int) {     \
    const T old = __tsan_atomic##BITS##_load(at, 0);                                                \
    if (old == expected) __tsan_atomic##BITS##_store(at, value, 0);                                 \
    return old;                                                                                     \
  }                                                                                                 \
  RMW(T, BITS, exchange, value)                                                                     \
  RMW(T, BITS, fetch_add, old + value)                                                              \
  RMW(T, BITS, fetch_sub, old - value)                                                              \
  RMW(T, BITS, fetch_and, old& value)                                                               \
  RMW(T, BITS, fetch_or, old | value)                                                               \
  RMW(T, BITS, fetch_xor, old ^ value)                                                              \
  RMW(T, BITS, fetch_nand, ~(old & value))
ATOMICS(std::uint8_t, 8)
ATOMICS(std::uint16_t, 16)
ATOMICS(std::uint32_t, 32)
ATOMICS(std::uint64_t, 64)
#undef ATOMICS
#undef RMW

void __tsan_atomic_thread_fence(int) {}
void __tsan_atomic_signal_fence(int) {}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)

#endif
