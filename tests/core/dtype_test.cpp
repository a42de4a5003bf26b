#include "core/dtype.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace assay {
namespace {

TEST(DType, EveryHalfSurvivesDecodeAndEncode) {
  for (DType dtype : {DType::f16, DType::bf16}) {
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
      const double value = decode(dtype, bits);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(decode(dtype, encode(dtype, value))));
      } else {
        EXPECT_EQ(encode(dtype, value), bits) << name(dtype) << " " << bits;
      }
    }
  }
}

TEST(DType, FloatRoundsAsTheProcessorDoes) {
  std::uint64_t state = 1;
  for (int i = 0; i < 200000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const double value = decode(DType::f64, state ^ (state >> 29));
    if (std::isnan(value)) continue;
    const float expected = static_cast<float>(value);
    EXPECT_EQ(encode(DType::f32, value), encode(DType::f32, expected)) << value;
    EXPECT_EQ(decode(DType::f32, encode(DType::f32, value)), expected);
  }
}

// A value just beyond a midpoint of f16 lies on the midpoint once it went through f32.
TEST(DType, RoundsOnceStraightFromDouble) {
  const double midpoint = 1 + std::ldexp(1.0, -11);
  EXPECT_EQ(encode(DType::f16, midpoint), 0x3c00u);                         // ties to even
  EXPECT_EQ(encode(DType::f16, midpoint + std::ldexp(1.0, -40)), 0x3c01u);  // above it: up
  EXPECT_EQ(encode(DType::bf16, 1 + std::ldexp(1.0, -8) + 1e-12), 0x3f81u);
}

TEST(DType, OverflowAndSubnormals) {
  EXPECT_EQ(encode(DType::f16, 65519.999), 0x7bffu);
  EXPECT_EQ(encode(DType::f16, 65520.0), 0x7c00u);
  EXPECT_EQ(encode(DType::f16, -65520.0), 0xfc00u);
  EXPECT_EQ(encode(DType::f16, std::ldexp(1.0, -25)), 0u);  // half the least, to even
  EXPECT_EQ(encode(DType::f16, std::ldexp(1.0, -25) * 1.0000001), 1u);
  EXPECT_EQ(encode(DType::f32, -0.0), 0x80000000u);
  EXPECT_EQ(format_of(DType::f16).largest(), 65504.0);
  EXPECT_EQ(format_of(DType::f32).largest(), std::numeric_limits<float>::max());
}

TEST(DType, EveryByteSurvivesDecodeAndEncode) {
  for (DType dtype : {DType::e4m3, DType::e5m2}) {
    int nan = 0, infinite = 0;
    for (std::uint32_t bits = 0; bits < 256; ++bits) {
      const double value = decode(dtype, bits);
      nan += std::isnan(value);
      infinite += std::isinf(value);
      if (!std::isnan(value)) {
        EXPECT_EQ(encode(dtype, value), bits) << name(dtype) << " " << bits;
      }
    }
    EXPECT_EQ(nan, dtype == DType::e4m3 ? 2 : 6);
    EXPECT_EQ(infinite, dtype == DType::e4m3 ? 0 : 2);
  }
  for (int i = -128; i < 128; ++i) EXPECT_EQ(decode_integer(DType::i8, encode_integer(DType::i8, i)), i);
  EXPECT_EQ(encode_integer(DType::i8, -1), 0xffu);
}

// An e5m2 is the upper half of an f16; of e4m3 the values are written down from its definition.
TEST(DType, BytesAreWhatTheirFormatsSay) {
  for (std::uint32_t bits = 0; bits < 256; ++bits) {
    const double wide = decode(DType::f16, bits << 8), narrow = decode(DType::e5m2, bits);
    EXPECT_TRUE(wide == narrow || (std::isnan(wide) && std::isnan(narrow))) << bits;
    if ((bits & 127) == 127) continue;
    const int exponent = static_cast<int>(bits >> 3 & 15), fraction = static_cast<int>(bits & 7);
    const double magnitude =
        exponent == 0 ? fraction / 512.0 : (1 + fraction / 8.0) * std::exp2(exponent - 7);
    EXPECT_EQ(decode(DType::e4m3, bits), bits & 128 ? -magnitude : magnitude) << bits;
  }
  EXPECT_EQ(format_of(DType::e4m3).largest(), 448.0);
  EXPECT_EQ(format_of(DType::e5m2).largest(), 57344.0);
  EXPECT_EQ(format_of(DType::e4m3).least_subnormal(), 0x1p-9);
  EXPECT_EQ(format_of(DType::e5m2).least_normal(), 0x1p-14);
}

TEST(DType, BytesOverflowToWhatTheyHave) {
  EXPECT_EQ(encode(DType::e4m3, 464.0), 0x7eu);  // half way to 480, which is NaN: 448 is even
  EXPECT_EQ(encode(DType::e4m3, 464.001), 0x7fu);
  EXPECT_EQ(encode(DType::e4m3, -1e30), 0xffu);
  EXPECT_EQ(encode(DType::e4m3, -HUGE_VAL), 0xffu);
  EXPECT_EQ(encode(DType::e4m3, 0x1p-10), 0u);  // half the least, to even
  EXPECT_EQ(encode(DType::e4m3, 0x1.8p-9), 2u);
  EXPECT_EQ(encode(DType::e5m2, 61439.9), 0x7bu);
  EXPECT_EQ(encode(DType::e5m2, 61440.0), 0x7cu);
  EXPECT_EQ(encode(DType::e5m2, -HUGE_VAL), 0xfcu);
  EXPECT_TRUE(std::isnan(decode(DType::e4m3, encode(DType::e4m3, NAN))));
  EXPECT_TRUE(std::isnan(decode(DType::e5m2, encode(DType::e5m2, NAN))));
}

TEST(DType, NamesRoundTrip) {
  for (int i = 0; i < 10; ++i) EXPECT_EQ(parse_dtype(name(static_cast<DType>(i))), static_cast<DType>(i));
  EXPECT_FALSE(parse_dtype("float"));
}

}  // namespace
}  // namespace assay
