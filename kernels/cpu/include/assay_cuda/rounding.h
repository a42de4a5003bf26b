#pragma once

// Operations and conversions that round toward zero, up or down, by the processor's own rounding mode. The
// mode is set and put back in one asm statement with the operation, so that no other one is affected.

namespace assay::cpu {

inline constexpr unsigned round_near = 0x1f80, round_down = 0x3f80, round_up = 0x5f80, round_zero = 0x7f80;

}  // namespace assay::cpu

#define ASSAY_MODED(INSTRUCTION) "ldmxcsr %[mode]\n\t" INSTRUCTION "\n\tldmxcsr %[near]"
#define ASSAY_MODES(MODE) [mode] "m"(assay::cpu::MODE), [near] "m"(assay::cpu::round_near)

#define ASSAY_BINARY(NAME, T, INSTRUCTION, MODE)                                                        \
  inline T NAME(T x, T y) {                                                                             \
    asm volatile(ASSAY_MODED(INSTRUCTION " %[y], %[x]") : [x] "+x"(x) : [y] "x"(y), ASSAY_MODES(MODE)); \
    return x;                                                                                           \
  }
#define ASSAY_UNARY(NAME, R, T, INSTRUCTION, IN, MODE)                                                 \
  inline R NAME(T x) {                                                                                 \
    R r = 0;                                                                                           \
    asm volatile(ASSAY_MODED(INSTRUCTION " %[x], %[r]") : [r] "+x"(r) : [x] IN(x), ASSAY_MODES(MODE)); \
    return r;                                                                                          \
  }
#define ASSAY_ROUNDINGS(SUFFIX, MODE)                                          \
  ASSAY_BINARY(__fadd_##SUFFIX, float, "addss", MODE)                          \
  ASSAY_BINARY(__fsub_##SUFFIX, float, "subss", MODE)                          \
  ASSAY_BINARY(__fmul_##SUFFIX, float, "mulss", MODE)                          \
  ASSAY_BINARY(__fdiv_##SUFFIX, float, "divss", MODE)                          \
  ASSAY_BINARY(__dadd_##SUFFIX, double, "addsd", MODE)                         \
  ASSAY_BINARY(__dsub_##SUFFIX, double, "subsd", MODE)                         \
  ASSAY_BINARY(__dmul_##SUFFIX, double, "mulsd", MODE)                         \
  ASSAY_BINARY(__ddiv_##SUFFIX, double, "divsd", MODE)                         \
  ASSAY_UNARY(__fsqrt_##SUFFIX, float, float, "sqrtss", "x", MODE)             \
  ASSAY_UNARY(__dsqrt_##SUFFIX, double, double, "sqrtsd", "x", MODE)           \
  ASSAY_UNARY(__double2float_##SUFFIX, float, double, "cvtsd2ss", "x", MODE)   \
  ASSAY_UNARY(__int2float_##SUFFIX, float, int, "cvtsi2ssl", "r", MODE)        \
  ASSAY_UNARY(__ll2float_##SUFFIX, float, long long, "cvtsi2ssq", "r", MODE)   \
  ASSAY_UNARY(__ll2double_##SUFFIX, double, long long, "cvtsi2sdq", "r", MODE) \
  inline float __frcp_##SUFFIX(float x) {                                      \
    return __fdiv_##SUFFIX(1.0f, x);                                           \
  }                                                                            \
  inline double __drcp_##SUFFIX(double x) {                                    \
    return __ddiv_##SUFFIX(1.0, x);                                            \
  }                                                                            \
  inline float __uint2float_##SUFFIX(unsigned x) {                             \
    return __ll2float_##SUFFIX(x);                                             \
  }                                                                            \
  ASSAY_FUSED(SUFFIX, MODE)

#ifdef __FMA__
#define ASSAY_FUSED(SUFFIX, MODE)                              \
  inline float __fmaf_##SUFFIX(float x, float y, float z) {    \
    asm volatile(ASSAY_MODED("vfmadd231ss %[y], %[x], %[z]")   \
                 : [z] "+x"(z)                                 \
                 : [x] "x"(x), [y] "x"(y), ASSAY_MODES(MODE)); \
    return z;                                                  \
  }                                                            \
  inline double __fma_##SUFFIX(double x, double y, double z) { \
    asm volatile(ASSAY_MODED("vfmadd231sd %[y], %[x], %[z]")   \
                 : [z] "+x"(z)                                 \
                 : [x] "x"(x), [y] "x"(y), ASSAY_MODES(MODE)); \
    return z;                                                  \
  }
#else
#define ASSAY_FUSED(SUFFIX, MODE)  // without the instruction there is no fma that rounds so
#endif

ASSAY_ROUNDINGS(rz, round_zero)
ASSAY_ROUNDINGS(ru, round_up)
ASSAY_ROUNDINGS(rd, round_down)

#undef ASSAY_ROUNDINGS
#undef ASSAY_FUSED
#undef ASSAY_UNARY
#undef ASSAY_BINARY
#undef ASSAY_MODES
#undef ASSAY_MODED
