#pragma once

// A truth known to within a proven error: |truth - value| <= error, in double or long double arithmetic.
//
// `value` is finite. An error that is not finite means that nothing is known (overflow); 0 means that the
// value is the truth. Why each bound holds, with e = 2^-digits(T) the unit roundoff of T (round to nearest):
//   exact      a double is a T.
//   negate     no rounding.
//   sum        cascaded TwoSum (Ogita, Rump, Oishi 2005, Sum2): e |result| + (n e)^2 sum|t| on top of the
//              terms' own errors; TwoSum has no underflow error. All low parts zero: exact.
//   multiply   |xy - ab| <= |a| eb + |b| ea + ea eb; the product rounds by e |ab|, by nothing where both
//              significands fill half of T's; below the range where that holds a constant is added.
//   divide     |x/y - a/b| <= (ea + |a/b| eb) / (|b| - eb); the quotient rounds by e |a/b|, by nothing if b
//   is
//              a power of two.
//   power      n - 1 multiplications.
//   call       the largest change of the function over value +- error (oracle/deviation.h), and the error of
//              the C library, which glibc documents as 2 ulp (double) and 3 ulp (long double, x86-64) at most
//              for these functions: 4 and 8 are charged; sqrt is correctly rounded by IEEE 754.
// Bounds are computed in T and inflated by 1 + 2^-40 or more, which covers the rounding of the bound itself.

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "core/dtype.h"
#include "oracle/algebra.h"
#include "oracle/deviation.h"

namespace assay {

namespace filter_parts {

// Significand as an integer with the highest bit set at `digits - 1`, and its exponent.
struct Parts {
  std::uint64_t significand;
  int exponent;
};

inline Parts parts(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  return exponent ? Parts{mantissa | std::uint64_t{1} << 52, exponent - 1075} : Parts{mantissa, -1074};
}

inline Parts parts(long double x) {
  std::uint64_t significand = 0;
  std::uint16_t head = 0;
  unsigned char bytes[sizeof x];
  std::memcpy(bytes, &x, sizeof x);
  std::memcpy(&significand, bytes, 8);
  std::memcpy(&head, bytes + 8, 2);
  const int exponent = head & 0x7fff;
  return {significand, (exponent ? exponent : 1) - 16446};
}

static_assert(std::numeric_limits<long double>::digits == 64, "x87 extended precision");

inline bool is_half_width(double x) {
  return (std::bit_cast<std::uint64_t>(x) & ((std::uint64_t{1} << 27) - 1)) == 0;
}
inline bool is_half_width(long double x) {
  return (parts(x).significand & 0xffffffffu) == 0;
}

template <class T>
bool is_power_of_two(T x) {
  return std::has_single_bit(parts(x).significand);
}

// 2^e.
inline double two_to(int e, double) {
  if (e < -1022 || e > 1023) return std::ldexp(1.0, e);
  return std::bit_cast<double>(static_cast<std::uint64_t>(e + 1023) << 52);
}
inline long double two_to(int e, long double) {
  if (e < -16382 || e > 16383) return std::ldexp(1.0L, e);
  const std::uint64_t significand = std::uint64_t{1} << 63;
  const auto head = static_cast<std::uint16_t>(e + 16383);
  unsigned char bytes[sizeof(long double)] = {};
  std::memcpy(bytes, &significand, 8);
  std::memcpy(bytes + 8, &head, 2);
  long double result = 0;
  std::memcpy(&result, bytes, sizeof result);
  return result;
}

// Keeps an error from underflowing to none.
template <class T>
constexpr T kLeast = std::numeric_limits<T>::denorm_min();

}  // namespace filter_parts

template <class T>
struct Filter {
  using Scalar = T;
  static constexpr T kUnit = std::numeric_limits<T>::epsilon() / 2;
  // Below this a product or quotient may have lost bits to underflow; its square is added to the error.
  static constexpr T kTiny = std::numeric_limits<T>::min() / kUnit * 1024;

  T value = 0;
  T error = 0;

  static Filter exact(double x) { return {x, 0}; }
  static Filter integer(std::int64_t i);
  static Filter constant(const Constant& c);  // of rational or pi

  bool is_exact() const { return error == 0; }
  bool known() const { return error <= std::numeric_limits<T>::max() && std::isfinite(value); }
  bool is_negative() const { return std::signbit(value); }
  T approximate() const { return value; }
  T upper() const { return error == 0 ? value : outward_up(value + error); }
  T lower() const { return error == 0 ? value : outward_down(value - error); }
  double to_double() const { return static_cast<double>(value); }
  double round_to(const Format& format) const;

  int highest_bit() const;  // of a finite non-zero value: exponents of its highest and lowest set bits
  int lowest_bit() const;

  Filter widened(T doubt) const { return {value, outward_up(error + doubt)}; }  // less is known of it
  Filter negated() const { return {-value, error}; }
  static Filter multiply(const Filter& a, const Filter& b);
  static Filter divide(const Filter& a, const Filter& b);
  static Filter power(const Filter& a, int n);
  static Filter call(Function f, const Filter& a);
  static bool floor_is_sure(const Filter& a) { return std::floor(a.lower()) == std::floor(a.upper()); }

  // The sum of get(0) .. get(n - 1), each a const Filter&; from +0, or from get(0) if `from_first`.
  template <class Get>
  static Filter sum(std::size_t n, Get get, bool from_first);

  // The same from +0, one term at a time.
  struct Sum {
    T high = 0;
    T low = 0;
    T magnitude = 0;
    T errors = 0;
    std::int64_t n = 0;
    bool exact = true;

    void add(const Filter& t) {
      const T s = high + t.value;
      const T b = s - high;
      const T rest = (high - (s - b)) + (t.value - b);
      exact &= rest == 0;
      low += rest;
      high = s;
      magnitude += std::fabs(t.value);
      errors += t.error;
      ++n;
    }
    Filter total() const;
  };

  // The sign of a - b, or of (this + offset) - point; 2 if it cannot be told.
  static int order(const Filter& a, const Filter& b);
  int order(T offset, T point) const;
};

template <class T>
template <class Get>
Filter<T> Filter<T>::sum(std::size_t n, Get get, bool from_first) {
  if (n == 0) return {};
  const Filter& first = get(0);
  Sum sum{from_first ? first.value : first.value + T(0), 0, std::fabs(first.value), first.error, 1, true};
  for (std::size_t i = 1; i < n; ++i) sum.add(get(i));
  return sum.total();
}

template <class T>
Filter<T> Filter<T>::Sum::total() const {
  if (exact) return {high, errors == 0 ? T(0) : errors * T(kInflate)};
  const T result = high + low;
  const T k = static_cast<T>(n) * kUnit;
  const T own = n == 2 ? kUnit * std::fabs(result) : kUnit * std::fabs(result) + k * k * magnitude;
  return {result, (errors + own) * T(kInflate) + std::numeric_limits<T>::denorm_min()};
}

template <class T>
int Filter<T>::highest_bit() const {
  const filter_parts::Parts p = filter_parts::parts(value);
  return p.exponent + 63 - std::countl_zero(p.significand);
}

template <class T>
int Filter<T>::lowest_bit() const {
  const filter_parts::Parts p = filter_parts::parts(value);
  return p.exponent + std::countr_zero(p.significand);
}

template <class T>
Filter<T> Filter<T>::multiply(const Filter& a, const Filter& b) {
  const T product = a.value * b.value;
  const T size = std::fabs(product);
  T error =
      filter_parts::is_half_width(a.value) && filter_parts::is_half_width(b.value) ? T(0) : kUnit * size;
  if (a.error != 0 || b.error != 0)
    error += std::fabs(a.value) * b.error + std::fabs(b.value) * a.error + a.error * b.error +
             filter_parts::kLeast<T>;
  if (size < kTiny && a.value != 0 && b.value != 0) error += kTiny * kUnit;
  return {product, error == 0 ? T(0) : error * T(kInflate)};
}

template <class T>
int Filter<T>::order(const Filter& a, const Filter& b) {
  const T difference = a.value - b.value;
  const T doubt = a.error + b.error;
  if (doubt == 0) return (difference > 0) - (difference < 0);
  if (std::fabs(difference) > outward_up(doubt * T(kInflate))) return difference > 0 ? 1 : -1;
  return 2;
}

extern template struct Filter<double>;
extern template struct Filter<long double>;

}  // namespace assay
