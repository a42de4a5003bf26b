#pragma once

// Barriers, shuffles, votes, matches and reductions. The site of each call comes by default arguments, not
// by its return address: the optimiser may clone code.

#include <type_traits>

#include "interface.h"

#define ASSAY_SITE const char *file = __builtin_FILE(), int line = __builtin_LINE()

namespace assay::cpu {

template <class T>
unsigned long long to_bits(const T& value) {
  static_assert(sizeof(T) <= 8);
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <class T>
T from_bits(unsigned long long bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}

template <class T>
concept Shuffled = std::is_arithmetic_v<T> || (requires { typename T::assay_shuffled; });

template <class T>
T shuffle(WarpKind kind, unsigned mask, T value, int argument, int width, const char* file, int line) {
  return cpu::from_bits<T>(cpu::warp(kind, mask, cpu::to_bits(value), argument, width, file, line));
}

}  // namespace assay::cpu

inline void __syncthreads(ASSAY_SITE) {
  assay::cpu::barrier(assay::cpu::BarrierKind::plain, 0, file, line);
}
inline int __syncthreads_count(int predicate, ASSAY_SITE) {
  return assay::cpu::barrier(assay::cpu::BarrierKind::count, predicate, file, line);
}
inline int __syncthreads_and(int predicate, ASSAY_SITE) {
  return assay::cpu::barrier(assay::cpu::BarrierKind::all, predicate, file, line);
}
inline int __syncthreads_or(int predicate, ASSAY_SITE) {
  return assay::cpu::barrier(assay::cpu::BarrierKind::any, predicate, file, line);
}
inline void __barrier_sync(unsigned, ASSAY_SITE) {
  assay::cpu::barrier(assay::cpu::BarrierKind::plain, 0, file, line);
}
inline void __syncwarp(unsigned mask = 0xffffffffu, ASSAY_SITE) {
  assay::cpu::warp(assay::cpu::WarpKind::sync, mask, 0, 0, 32, file, line);
}
inline void __threadfence() {
  assay::cpu::trace_fence(false);
}
inline void __threadfence_block() {
  assay::cpu::trace_fence(true);
}
inline void __threadfence_system() {
  assay::cpu::trace_fence(false);
}
inline unsigned __activemask(ASSAY_SITE) {
  return assay::cpu::active_mask(file, line);
}

template <assay::cpu::Shuffled T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32, ASSAY_SITE) {
  return assay::cpu::shuffle(assay::cpu::WarpKind::shuffle_index, mask, value, source, width, file, line);
}
template <assay::cpu::Shuffled T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, ASSAY_SITE) {
  return assay::cpu::shuffle(assay::cpu::WarpKind::shuffle_up, mask, value, delta, width, file, line);
}
template <assay::cpu::Shuffled T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, ASSAY_SITE) {
  return assay::cpu::shuffle(assay::cpu::WarpKind::shuffle_down, mask, value, delta, width, file, line);
}
template <assay::cpu::Shuffled T>
T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, ASSAY_SITE) {
  return assay::cpu::shuffle(assay::cpu::WarpKind::shuffle_xor, mask, value, lanes, width, file, line);
}
// The forms without a mask, of before Volta: the lanes that are converged take part.
template <assay::cpu::Shuffled T>
T __shfl(T value, int source, int width = 32, ASSAY_SITE) {
  return __shfl_sync(__activemask(file, line), value, source, width, file, line);
}
template <assay::cpu::Shuffled T>
T __shfl_up(T value, unsigned delta, int width = 32, ASSAY_SITE) {
  return __shfl_up_sync(__activemask(file, line), value, delta, width, file, line);
}
template <assay::cpu::Shuffled T>
T __shfl_down(T value, unsigned delta, int width = 32, ASSAY_SITE) {
  return __shfl_down_sync(__activemask(file, line), value, delta, width, file, line);
}
template <assay::cpu::Shuffled T>
T __shfl_xor(T value, int lanes, int width = 32, ASSAY_SITE) {
  return __shfl_xor_sync(__activemask(file, line), value, lanes, width, file, line);
}

inline int __all_sync(unsigned mask, int predicate, ASSAY_SITE) {
  return assay::cpu::warp(assay::cpu::WarpKind::all, mask, predicate != 0, 0, 32, file, line);
}
inline int __any_sync(unsigned mask, int predicate, ASSAY_SITE) {
  return assay::cpu::warp(assay::cpu::WarpKind::any, mask, predicate != 0, 0, 32, file, line);
}
inline unsigned __ballot_sync(unsigned mask, int predicate, ASSAY_SITE) {
  return assay::cpu::warp(assay::cpu::WarpKind::ballot, mask, predicate != 0, 0, 32, file, line);
}
inline int __all(int predicate, ASSAY_SITE) {
  return __all_sync(__activemask(file, line), predicate, file, line);
}
inline int __any(int predicate, ASSAY_SITE) {
  return __any_sync(__activemask(file, line), predicate, file, line);
}
inline unsigned __ballot(int predicate, ASSAY_SITE) {
  return __ballot_sync(__activemask(file, line), predicate, file, line);
}
template <assay::cpu::Shuffled T>
unsigned __match_any_sync(unsigned mask, T value, ASSAY_SITE) {
  return assay::cpu::warp(assay::cpu::WarpKind::match_any, mask, assay::cpu::to_bits(value), 0, 32, file,
                          line);
}
template <assay::cpu::Shuffled T>
unsigned __match_all_sync(unsigned mask, T value, int* predicate, ASSAY_SITE) {
  const unsigned same =
      assay::cpu::warp(assay::cpu::WarpKind::match_all, mask, assay::cpu::to_bits(value), 0, 32, file, line);
  *predicate = same != 0;
  return same;
}

#define ASSAY_REDUCE(NAME, T, KIND)                                                                        \
  inline T __reduce_##NAME##_sync(unsigned mask, T value, ASSAY_SITE) {                                    \
    return static_cast<T>(assay::cpu::warp(assay::cpu::WarpKind::KIND, mask, static_cast<unsigned>(value), \
                                           0, 32, file, line));                                            \
  }
ASSAY_REDUCE(add, int, add_signed)
ASSAY_REDUCE(add, unsigned, add_unsigned)
ASSAY_REDUCE(min, int, min_signed)
ASSAY_REDUCE(min, unsigned, min_unsigned)
ASSAY_REDUCE(max, int, max_signed)
ASSAY_REDUCE(max, unsigned, max_unsigned)
ASSAY_REDUCE(and, unsigned, bit_and)
ASSAY_REDUCE(or, unsigned, bit_or)
ASSAY_REDUCE(xor, unsigned, bit_xor)
#undef ASSAY_REDUCE

inline void __nanosleep(unsigned) {
  assay::cpu::yield_thread();
}
inline void __trap(ASSAY_SITE) {
  assay::cpu::trap(file, line);
}
inline void __brkpt() {}
inline void __assume(bool) {}
inline long long clock64() {
  return static_cast<long long>(__builtin_ia32_rdtsc());
}
inline unsigned long long __globaltimer() {
  return __builtin_ia32_rdtsc();
}
