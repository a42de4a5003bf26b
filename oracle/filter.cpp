#include "oracle/filter.h"

#include <algorithm>

namespace assay {

using namespace filter_parts;

namespace {

template <class T>
constexpr T kLibraryUlps = std::is_same_v<T, double> ? T(4) : T(8);

}  // namespace

template <class T>
Filter<T> Filter<T>::integer(std::int64_t i) {
  const T x = static_cast<T>(i);
  const bool exact = std::fabs(x) < T(0x1p53);
  return {x, exact ? T(0) : kUnit * std::fabs(x)};
}

template <class T>
Filter<T> Filter<T>::constant(const Constant& c) {
  if (c.kind == Constant::Kind::pi) return {std::numbers::pi_v<T>, 2 * kUnit * std::numbers::pi_v<T>};
  // Numerator and denominator are exact below 2^53; a power of ten is 10^27 at most in 64 bits, 10^22 in 53.
  constexpr int kExactPower = std::is_same_v<T, double> ? 22 : 27;
  Filter result = integer(c.numerator);
  if (c.denominator != 1) result = divide(result, integer(c.denominator));
  for (int rest = std::abs(c.exponent); rest > 0 && result.known();) {
    const int step = std::min(rest, kExactPower);
    T scale = 1;
    for (int i = 0; i < step; ++i) scale *= 10;
    result = c.exponent > 0 ? multiply(result, {scale, 0}) : divide(result, {scale, 0});
    rest -= step;
  }
  return result;
}

template <class T>
double Filter<T>::round_to(const Format& format) const {
  const T x = std::fabs(value);
  if (x == 0) return static_cast<double>(value);
  const int quantum = std::max(highest_bit() - format.precision + 1, format.min_exponent);
  const T size = two_to(quantum, T());
  const T count = x / size;  // exact, and below 2^53
  auto whole = static_cast<std::int64_t>(count);
  const T rest = count - static_cast<T>(whole);
  whole += rest > T(0.5) || (rest == T(0.5) && whole % 2 != 0);
  const T rounded = static_cast<T>(whole) * size;
  const double magnitude = rounded > format.largest() ? HUGE_VAL : static_cast<double>(rounded);
  return std::signbit(value) ? -magnitude : magnitude;
}

template <class T>
Filter<T> Filter<T>::divide(const Filter& a, const Filter& b) {
  const T quotient = a.value / b.value;
  const T size = std::fabs(quotient);
  T error = is_power_of_two(b.value) ? T(0) : kUnit * size;
  if (a.error != 0 || b.error != 0) {
    const T room = std::fabs(b.value) - b.error;
    error += room > 0 ? (a.error + size * b.error) / room + kLeast<T> : std::numeric_limits<T>::infinity();
  }
  if (size < kTiny && a.value != 0) error += kTiny * kUnit;
  return {quotient, error == 0 ? T(0) : error * T(kInflate)};
}

template <class T>
Filter<T> Filter<T>::power(const Filter& a, int n) {
  Filter result = a;
  for (int i = 1; i < n; ++i) result = multiply(result, a);
  return result;
}

template <class T>
Filter<T> Filter<T>::call(Function f, const Filter& a) {
  const T result = evaluate(f, a.value);
  T error = 0;
  switch (f) {
    case Function::abs:
      return {result, a.error};
    case Function::floor:
    case Function::sign:
      return {result, floor_is_sure(a) ? T(0) : T(1)};
    case Function::sqrt:
      error = result * result == a.value && is_half_width(result) ? T(0) : kUnit * result;
      break;
    case Function::rsqrt:
      error = 2 * kLibraryUlps<T> * kUnit * result;
      break;
    case Function::log:
      error = a.value == 1 ? T(0) : 2 * kLibraryUlps<T> * kUnit * std::fabs(result);
      break;
    case Function::exp:
    case Function::cos:
      error = a.value == 0 ? T(0)
                           : 2 * kLibraryUlps<T> * kUnit * std::fabs(result) + std::numeric_limits<T>::min();
      break;
    default:  // odd at 0
      error = a.value == 0 ? T(0)
                           : 2 * kLibraryUlps<T> * kUnit * std::fabs(result) + std::numeric_limits<T>::min();
      break;
  }
  if (a.error != 0) {
    const bool positive_domain = f == Function::log || f == Function::sqrt || f == Function::rsqrt;
    const T least = f == Function::log1p ? T(-1) : T(0);
    if ((positive_domain || f == Function::log1p) && a.value - a.error <= least)
      return {result, std::numeric_limits<T>::infinity()};
    const T up = std::fabs(deviation(f, a.value, result, a.error));
    const T down = std::fabs(deviation(f, a.value, result, -a.error));
    error += std::max(up, down) + kLeast<T>;
  }
  return {result, error == 0 ? T(0) : error * T(kInflate)};
}

template <class T>
int Filter<T>::order(T offset, T point) const {
  // The difference rounds by e of itself, so does the sum; where nothing is inexact the sign is sure.
  const T difference = value - point;
  const T sum = difference + offset;
  if (error == 0 && offset == 0) return (difference > 0) - (difference < 0);
  const T doubt = error + 4 * kUnit * (std::fabs(difference) + std::fabs(offset));
  if (std::fabs(sum) > doubt) return sum > 0 ? 1 : -1;
  return 2;
}

template struct Filter<double>;
template struct Filter<long double>;

}  // namespace assay
