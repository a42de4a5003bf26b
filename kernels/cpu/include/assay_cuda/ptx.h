#pragma once

// The PTX instructions that the rewriter knows, each a function of its operands in order.

#include <math.h>

#include "integers.h"
#include "interface.h"
#include "small_float.h"
#include "warp.h"

namespace assay::ptx {

template <class To, class From>
To as(From value) {
  static_assert(sizeof(To) == sizeof(From), "the operand's size is not the instruction's");
  return __builtin_bit_cast(To, value);
}

#define ASSAY_REGISTER(NAME, VALUE)          \
  template <class T>                         \
  void mov_u32_##NAME(T& d) {                \
    d = as<T>(static_cast<unsigned>(VALUE)); \
  }
ASSAY_REGISTER(laneid, cpu::linear_thread() & 31u)
ASSAY_REGISTER(warpid, cpu::linear_thread() / 32u)
ASSAY_REGISTER(lanemask_eq, 1u << (cpu::linear_thread() & 31u))
ASSAY_REGISTER(lanemask_lt, (1u << (cpu::linear_thread() & 31u)) - 1u)
ASSAY_REGISTER(lanemask_le, (2u << (cpu::linear_thread() & 31u)) - 1u)
ASSAY_REGISTER(lanemask_ge, ~((1u << (cpu::linear_thread() & 31u)) - 1u))
ASSAY_REGISTER(lanemask_gt, ~((2u << (cpu::linear_thread() & 31u)) - 1u))
ASSAY_REGISTER(smid, 0u)
ASSAY_REGISTER(clock, __builtin_ia32_rdtsc())
#undef ASSAY_REGISTER

template <class D, class A>
void mov_u32(D& d, A a) {
  d = as<D>(a);
}
template <class D, class A>
void mov_b32(D& d, A a) {
  d = as<D>(a);
}
inline void bar_sync(int, ASSAY_SITE) {
  __syncthreads(file, line);
}
inline void membar_gl() {
  __threadfence();
}
inline void membar_cta() {
  __threadfence_block();
}
template <class T>
void prefetch_global_L1(T) {}
template <class T>
void prefetch_global_L2(T) {}

template <class D>
void bfe_u32(D& d, unsigned a, unsigned position, unsigned length) {
  position &= 255, length &= 255;
  const unsigned shifted = position < 32 ? a >> position : 0;
  d = static_cast<D>(length < 32 ? shifted & ((1u << length) - 1u) : shifted);
}
template <class D>
void bfe_s32(D& d, int a, unsigned position, unsigned length) {
  position &= 255, length &= 255;
  if (length == 0) {
    d = 0;
    return;
  }
  const unsigned last = position + length - 1 < 31 ? position + length - 1 : 31;
  const int sign = a >> last & 1 ? -1 : 0;
  // Beyond the last bit there are copies of the sign, and the shift of a signed number makes them.
  const int shifted = a >> (position < 31 ? position : 31);
  const unsigned mask = length < 32 ? (1u << length) - 1u : ~0u;
  d = static_cast<D>((static_cast<unsigned>(shifted) & mask) | (static_cast<unsigned>(sign) & ~mask));
}
template <class D>
void bfi_b32(D& d, unsigned a, unsigned b, unsigned position, unsigned length) {
  position &= 255, length &= 255;
  const unsigned long long ones = length < 32 ? (1ull << length) - 1 : 0xffffffffull;
  const auto mask = static_cast<unsigned>(position < 32 ? ones << position : 0);
  d = static_cast<D>((b & ~mask) | (position < 32 ? a << position & mask : 0));
}
template <class D>
void prmt_b32(D& d, unsigned a, unsigned b, unsigned selector) {
  d = static_cast<D>(__byte_perm(a, b, selector));
}
template <class D>
void lop3_b32(D& d, unsigned a, unsigned b, unsigned c, unsigned table) {
  unsigned out = 0;
  for (int i = 0; i < 8; ++i)
    if (table >> i & 1) out |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  d = static_cast<D>(out);
}

// To nearest, ties away from zero; in the upper 19 bits of a register.
template <class D>
void cvt_rna_tf32_f32(D& d, float a) {
  const unsigned bits = as<unsigned>(a);
  d = as<D>(a != a ? 0x7fffffffu : __builtin_isinf(a) ? bits : (bits + 0x1000u) & 0xffffe000u);
}
template <class D>
void cvt_rn_f16_f32(D& d, float a) {
  d = as<D>(cpu::to_half(a));
}
inline void fma_rn_f32(float& d, float a, float b, float c) {
  d = __builtin_fmaf(a, b, c);
}
#define ASSAY_APPROXIMATE(NAME, VALUE)  \
  inline void NAME(float& d, float a) { \
    d = VALUE;                          \
  }
ASSAY_APPROXIMATE(ex2_approx_f32, exp2f(a))
ASSAY_APPROXIMATE(ex2_approx_ftz_f32, exp2f(a))
ASSAY_APPROXIMATE(lg2_approx_f32, log2f(a))
ASSAY_APPROXIMATE(rcp_approx_f32, 1.0f / a)
ASSAY_APPROXIMATE(rcp_approx_ftz_f32, 1.0f / a)
ASSAY_APPROXIMATE(rsqrt_approx_f32, rsqrtf(a))
ASSAY_APPROXIMATE(sqrt_approx_f32, __builtin_sqrtf(a))
ASSAY_APPROXIMATE(tanh_approx_f32, tanhf(a))
#undef ASSAY_APPROXIMATE

}  // namespace assay::ptx
