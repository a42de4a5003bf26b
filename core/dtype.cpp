#include "core/dtype.h"

#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

namespace assay {
namespace {

struct Row {
  DType dtype;
  std::string_view name;
  std::size_t size;
  bool is_float;
  Format format;
  int exponent_bits;
};

constexpr std::array<Row, 10> kRows = {{
    {DType::f64, "f64", 8, true, {53, -1074, 1023}, 11},
    {DType::f32, "f32", 4, true, {24, -149, 127}, 8},
    {DType::f16, "f16", 2, true, {11, -24, 15}, 5},
    {DType::bf16, "bf16", 2, true, {8, -133, 127}, 8},
    {DType::e4m3, "e4m3", 1, true, {4, -9, 8, false}, 4},
    {DType::e5m2, "e5m2", 1, true, {3, -16, 15}, 5},
    {DType::i64, "i64", 8, false, {}, 0},
    {DType::i32, "i32", 4, false, {}, 0},
    {DType::i8, "i8", 1, false, {}, 0},
    {DType::boolean, "bool", 1, false, {}, 0},
}};

const Row& row(DType dtype) {
  return kRows[static_cast<std::size_t>(dtype)];
}

}  // namespace

double Format::unit_roundoff() const {
  return std::ldexp(1.0, -precision);
}
double Format::least_subnormal() const {
  return std::ldexp(1.0, min_exponent);
}
double Format::least_normal() const {
  return std::ldexp(1.0, min_exponent + precision - 1);
}
double Format::largest() const {
  return std::ldexp(2.0 - std::ldexp(1.0, (has_infinity ? 1 : 2) - precision), max_exponent);
}

std::string_view name(DType dtype) {
  return row(dtype).name;
}

std::optional<DType> parse_dtype(std::string_view text) {
  for (const Row& r : kRows)
    if (r.name == text) return r.dtype;
  return std::nullopt;
}

std::size_t size_of(DType dtype) {
  return row(dtype).size;
}
bool is_float(DType dtype) {
  return row(dtype).is_float;
}

Format format_of(DType dtype) {
  assert(is_float(dtype));
  return row(dtype).format;
}

double decode(DType dtype, std::uint64_t bits) {
  if (!is_float(dtype)) return static_cast<double>(decode_integer(dtype, bits));
  if (dtype == DType::f64) return std::bit_cast<double>(bits);
  if (dtype == DType::f32) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  const Row& r = row(dtype);
  const int mantissa_bits = r.format.precision - 1;
  const std::uint64_t mantissa = bits & ((1u << mantissa_bits) - 1);
  const std::uint64_t exponent = (bits >> mantissa_bits) & ((1u << r.exponent_bits) - 1);
  const bool negative = (bits >> (mantissa_bits + r.exponent_bits)) & 1;
  double magnitude = 0;
  if (exponent == (1u << r.exponent_bits) - 1 &&
      (r.format.has_infinity || mantissa == (1u << mantissa_bits) - 1)) {
    magnitude = mantissa ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<double>(mantissa), r.format.min_exponent);
  } else {
    magnitude = std::ldexp(static_cast<double>(mantissa | (1u << mantissa_bits)),
                           r.format.min_exponent + static_cast<int>(exponent) - 1);
  }
  return negative ? -magnitude : magnitude;
}

std::int64_t decode_integer(DType dtype, std::uint64_t bits) {
  switch (dtype) {
    case DType::i32:
      return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
    case DType::i8:
      return static_cast<std::int8_t>(static_cast<std::uint8_t>(bits));
    case DType::boolean:
      return (bits & 0xff) != 0;
    default:
      assert(dtype == DType::i64);
      return static_cast<std::int64_t>(bits);
  }
}

std::uint64_t encode(DType dtype, double value) {
  assert(is_float(dtype));
  if (dtype == DType::f64) return std::bit_cast<std::uint64_t>(value);
  const Row& r = row(dtype);
  const Format& f = r.format;
  const int mantissa_bits = f.precision - 1;
  const std::uint64_t sign = std::signbit(value) ? std::uint64_t{1} << (mantissa_bits + r.exponent_bits) : 0;
  const std::uint64_t ones = ((std::uint64_t{1} << r.exponent_bits) - 1) << mantissa_bits;
  const std::uint64_t quiet = std::uint64_t{1} << (mantissa_bits - 1);
  const std::uint64_t nan = f.has_infinity ? ones | quiet : ones | ((quiet << 1) - 1);
  const std::uint64_t beyond = f.has_infinity ? ones : nan;
  if (std::isnan(value)) return sign | nan;
  const double magnitude = std::fabs(value);
  if (std::isinf(value)) return sign | beyond;
  if (magnitude == 0) return sign;
  // Round to a multiple of the quantum of the value's binade; a double holds the quotient exactly.
  int exponent = std::max(std::ilogb(magnitude) - mantissa_bits, f.min_exponent);
  const double scaled = std::ldexp(magnitude, -exponent);
  const auto whole = static_cast<std::uint64_t>(scaled);
  const double rest = scaled - static_cast<double>(whole);
  std::uint64_t mantissa = whole + ((rest > 0.5 || (rest == 0.5 && (whole & 1))) ? 1 : 0);
  if (mantissa >> f.precision) {
    mantissa >>= 1;
    ++exponent;
  }
  if (std::ldexp(static_cast<double>(mantissa), exponent) > f.largest()) return sign | beyond;
  const bool normal = mantissa >> mantissa_bits;
  const std::uint64_t biased = normal ? static_cast<std::uint64_t>(exponent - f.min_exponent + 1) : 0;
  return sign | (biased << mantissa_bits) | (mantissa & ((std::uint64_t{1} << mantissa_bits) - 1));
}

std::uint64_t encode_integer(DType dtype, std::int64_t value) {
  switch (dtype) {
    case DType::i32:
      return static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
    case DType::i8:
      return static_cast<std::uint8_t>(static_cast<std::int8_t>(value));
    case DType::boolean:
      return value != 0;
    default:
      assert(dtype == DType::i64);
      return static_cast<std::uint64_t>(value);
  }
}

}  // namespace assay
