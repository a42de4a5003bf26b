#pragma once

// The element types of tensors, and their values as bits.
//
// A float of every dtype here is exactly a double: `decode` loses nothing, and `encode` rounds once, to
// nearest even, straight to the target's precision and exponent (through an intermediate type would be
// wrong on midpoints).
//
// The 8-bit formats are OCP's, as CUDA and PyTorch have them: e5m2 is a small f16; e4m3 (float8_e4m3fn) has
// no infinity, one NaN of each sign and one binade more, to 448. Beyond their range lie NaN and infinity, as
// in PyTorch's casts; a kernel that saturates instead keeps a contract that clamps.
//
// Laws: encode(d, decode(d, bits)) == bits for every bits that is no NaN; NaN stays NaN.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace assay {

enum class DType : std::uint8_t { f64, f32, f16, bf16, e4m3, e5m2, i64, i32, i8, boolean };

// A binary floating-point format: finite values are m * 2^e with |m| < 2^precision, e >= min_exponent,
// and |value| < 2^(max_exponent + 1). Without an infinity the last of these is NaN.
struct Format {
  int precision;     // bits of the significand, the hidden one included
  int min_exponent;  // exponent of the least subnormal: 2^min_exponent
  int max_exponent;  // exponent of the largest binade
  bool has_infinity = true;

  double unit_roundoff() const;  // 2^-precision
  double least_subnormal() const;
  double least_normal() const;  // 2^(min_exponent + precision - 1)
  double largest() const;       // the largest finite value
};

std::string_view name(DType dtype);
std::optional<DType> parse_dtype(std::string_view text);
std::size_t size_of(DType dtype);  // bytes of one element
bool is_float(DType dtype);

Format format_of(DType dtype);  // requires is_float(dtype)

// The value of the low size_of(dtype) bytes of `bits`. Integers beyond 2^53 round: use decode_integer.
double decode(DType dtype, std::uint64_t bits);
std::int64_t decode_integer(DType dtype, std::uint64_t bits);  // requires !is_float(dtype)

// The nearest value of a float dtype, ties to even; beyond its range an infinity of the value's sign, NaN
// where the dtype has none.
std::uint64_t encode(DType dtype, double value);  // requires is_float(dtype)
std::uint64_t encode_integer(DType dtype, std::int64_t value);

}  // namespace assay
