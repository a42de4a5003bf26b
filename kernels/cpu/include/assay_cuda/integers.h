#pragma once

// Integer intrinsics, and the reinterpretation of floats.

inline int __clz(int x) {
  return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x));
}
inline int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
inline int __popc(unsigned x) {
  return __builtin_popcount(x);
}
inline int __popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
inline int __ffs(int x) {
  return __builtin_ffs(x);
}
inline int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
inline unsigned __brev(unsigned x) {
  return __builtin_bitreverse32(x);
}
inline unsigned long long __brevll(unsigned long long x) {
  return __builtin_bitreverse64(x);
}
// The position of the offset-th set bit from `base` on (upwards where offset > 0), or -1.
inline unsigned __fns(unsigned mask, unsigned base, int offset) {
  if (offset == 0) return (mask >> base) & 1 ? base : 0xffffffffu;
  const int step = offset > 0 ? 1 : -1;
  int left = offset > 0 ? offset : -offset;
  for (int i = static_cast<int>(base); i >= 0 && i < 32; i += step)
    if ((mask >> i & 1) && --left == 0) return i;
  return 0xffffffffu;
}
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned out = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned pick = selector >> (4 * i) & 0xf;
    unsigned byte = static_cast<unsigned>(bytes >> (8 * (pick & 7))) & 0xff;
    if (pick & 8) byte = byte & 0x80 ? 0xff : 0;
    out |= byte << (8 * i);
  }
  return out;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned>(both << (shift & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned>(both >> (shift & 31));
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return shift >= 32 ? low : static_cast<unsigned>(both << shift >> 32);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return shift >= 32 ? high : static_cast<unsigned>(both >> shift);
}
inline int __mul24(int x, int y) {
  const long long a = static_cast<int>(static_cast<unsigned>(x) << 8) >> 8;
  const long long b = static_cast<int>(static_cast<unsigned>(y) << 8) >> 8;
  return static_cast<int>(static_cast<unsigned>(a * b));
}
inline unsigned __umul24(unsigned x, unsigned y) {
  return (x & 0xffffff) * (y & 0xffffff);
}
inline int __mulhi(int x, int y) {
  return static_cast<int>(static_cast<long long>(x) * y >> 32);
}
inline unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>(static_cast<unsigned long long>(x) * y >> 32);
}
inline long long __mul64hi(long long x, long long y) {
  return static_cast<long long>(static_cast<__int128>(x) * y >> 64);
}
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}
inline unsigned __sad(int x, int y, unsigned z) {
  return z + (x > y ? unsigned(x) - unsigned(y) : unsigned(y) - unsigned(x));
}
inline unsigned __usad(unsigned x, unsigned y, unsigned z) {
  return z + (x > y ? x - y : y - x);
}
inline int __hadd(int x, int y) {
  return static_cast<int>((static_cast<long long>(x) + y) >> 1);
}
inline int __rhadd(int x, int y) {
  return static_cast<int>((static_cast<long long>(x) + y + 1) >> 1);
}
inline unsigned __uhadd(unsigned x, unsigned y) {
  return (static_cast<unsigned long long>(x) + y) >> 1;
}
inline unsigned __urhadd(unsigned x, unsigned y) {
  return (static_cast<unsigned long long>(x) + y + 1) >> 1;
}
inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; ++i)
    c = static_cast<int>(static_cast<unsigned>(c) +
                         static_cast<signed char>(a >> 8 * i) * static_cast<signed char>(b >> 8 * i));
  return c;
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; ++i) c += (a >> 8 * i & 0xff) * (b >> 8 * i & 0xff);
  return c;
}

inline int __float_as_int(float x) {
  return __builtin_bit_cast(int, x);
}
inline unsigned __float_as_uint(float x) {
  return __builtin_bit_cast(unsigned, x);
}
inline float __int_as_float(int x) {
  return __builtin_bit_cast(float, x);
}
inline float __uint_as_float(unsigned x) {
  return __builtin_bit_cast(float, x);
}
inline long long __double_as_longlong(double x) {
  return __builtin_bit_cast(long long, x);
}
inline double __longlong_as_double(long long x) {
  return __builtin_bit_cast(double, x);
}
inline int __double2hiint(double x) {
  return static_cast<int>(__double_as_longlong(x) >> 32);
}
inline int __double2loint(double x) {
  return static_cast<int>(__double_as_longlong(x));
}
inline double __hiloint2double(int high, int low) {
  return __longlong_as_double(static_cast<long long>(
      static_cast<unsigned long long>(static_cast<unsigned>(high)) << 32 | static_cast<unsigned>(low)));
}
