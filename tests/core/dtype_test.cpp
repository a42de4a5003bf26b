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

TEST(DType, NamesRoundTrip) {
  for (int i = 0; i < 7; ++i) EXPECT_EQ(parse_dtype(name(static_cast<DType>(i))), static_cast<DType>(i));
  EXPECT_FALSE(parse_dtype("float"));
}

}  // namespace
}  // namespace assay
