// Real against known bits, independent of MPFR's own conversions, and against Arb's enclosures.

#include "oracle/real.h"

#include <arb.h>
#include <arb_hypgeom.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "core/dtype.h"

namespace assay {
namespace {

class RealTest : public testing::Test {
  Real::Scope scope_{256};
};

TEST_F(RealTest, KnownBits) {
  // The first 53 bits of pi, e and 1/3, and exp(1e-30) - 1 which needs more than 53.
  EXPECT_EQ(std::bit_cast<std::uint64_t>(of_constant({Constant::Kind::pi, 0, 1, 0, 0}).value.to_double()),
            0x400921fb54442d18u);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(call(Function::exp, Real(1.0)).value.to_double()),
            0x4005bf0a8b145769u);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(divide(Real(1.0), Real(3.0)).value.to_double()),
            0x3fd5555555555555u);
  EXPECT_EQ(subtract(call(Function::exp, Real(1e-30)).value, Real(1.0)).value.to_double(), 1e-30);
  EXPECT_EQ(of_constant({Constant::Kind::rational, 1, 1, -5, 0}).value.to_double(), 1e-5);
  EXPECT_EQ(of_constant({Constant::Kind::rational, 44715, 1, -6, 0}).value.to_double(), 0.044715);
}

TEST_F(RealTest, SpecialsAndSignedZeros) {
  EXPECT_TRUE(subtract(Real(HUGE_VAL), Real(HUGE_VAL)).value.is_nan());
  EXPECT_TRUE(call(Function::sqrt, Real(-1.0)).value.is_nan());
  EXPECT_TRUE(call(Function::log, Real(0.0)).value.is_infinite());
  EXPECT_TRUE(call(Function::sqrt, Real(-0.0)).value.is_negative());
  const Real down = call(Function::rsqrt, Real(-0.0)).value;
  EXPECT_TRUE(down.is_infinite() && down.is_negative());
  EXPECT_FALSE(add(Real(1.0), Real(-1.0)).value.is_negative());
  EXPECT_TRUE(add(Real(-0.0), Real(-0.0)).value.is_negative());
  EXPECT_TRUE(multiply(Real(-0.0), Real(5.0)).value.is_negative());
}

TEST_F(RealTest, ExtremesAreNeitherZeroNorInfinity) {
  const Real huge = call(Function::exp, Real(1e38)).value;
  EXPECT_FALSE(huge.is_infinite());
  EXPECT_EQ(huge.sign(), 1);
  const Real tiny = call(Function::exp, Real(-1e38)).value;
  EXPECT_EQ(tiny.sign(), 1);
  EXPECT_TRUE(std::isfinite(huge.to_long_double()));
  EXPECT_GT(divide(Real(1.0), huge).value.to_long_double(), 0);
}

TEST_F(RealTest, SumsAreRoundedOnce) {
  const Real a(0x1p400), b(1.0), c(-0x1p400), d(0x1p-400);
  const Real* terms[] = {&a, &b, &c};
  const Rounded exact = sum(terms);
  EXPECT_EQ(exact.value.to_double(), 1.0);
  EXPECT_TRUE(exact.exact);
  const Real* inexact[] = {&a, &d, &b};
  EXPECT_FALSE(sum(inexact).exact);
  EXPECT_TRUE(sum({}).value.is_zero());
}

// Every half is its own rounding, and the midpoint between two neighbours goes to the even one; a little to
// either side of it goes to that side, however little.
TEST_F(RealTest, RoundsEveryHalfAndEveryMidpoint) {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const Format format = format_of(dtype);
    const std::uint64_t infinity = encode(dtype, HUGE_VAL);
    const Real hair(0x1p-900);
    for (std::uint64_t bits = 0; bits < infinity; ++bits) {
      const double x = decode(dtype, bits);
      ASSERT_EQ(encode(dtype, Real(x).round_to(format)), bits);
      ASSERT_EQ(encode(dtype, Real(-x).round_to(format)), bits | 0x8000);
      const bool last = bits + 1 == infinity;
      const double next = last ? std::ldexp(1.0, format.max_exponent + 1) : decode(dtype, bits + 1);
      const Real middle((x + next) / 2);
      const Real::Scope wide(1200);
      ASSERT_EQ(encode(dtype, middle.round_to(format)), bits + (bits & 1)) << bits;
      ASSERT_EQ(encode(dtype, subtract(middle, hair).value.round_to(format)), bits) << bits;
      ASSERT_EQ(encode(dtype, add(middle, hair).value.round_to(format)), bits + 1) << bits;
    }
  }
}

TEST_F(RealTest, RoundsToSingleOnce) {
  std::mt19937_64 random(1);
  const Format format = format_of(DType::f32);
  for (int i = 0; i < 200'000; ++i) {
    const auto bits = static_cast<std::uint32_t>(random()) & 0x7fffffffu;
    if (bits >= 0x7f7fffffu) continue;
    const double x = std::bit_cast<float>(bits), next = std::bit_cast<float>(bits + 1);
    const Real middle((x + next) / 2);
    const Real hair(x == 0 ? 0x1p-300 : std::ldexp(x, -90));
    ASSERT_EQ(add(middle, hair).value.round_to(format), next);
    ASSERT_EQ(subtract(middle, hair).value.round_to(format), x);
    ASSERT_EQ(middle.round_to(format), bits & 1 ? next : x);
    ASSERT_EQ(Real(x).round_to(format), x);
  }
}

// An independent implementation encloses the function; 200 bits of it must agree.
TEST_F(RealTest, LiesInArbsEnclosures) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  arb_t x, y, mine;
  arb_init(x);
  arb_init(y);
  arb_init(mine);
  for (int i = 0; i < 3000; ++i) {
    for (const Function f : {Function::exp, Function::log, Function::sqrt, Function::rsqrt, Function::tanh,
                             Function::erf, Function::sin, Function::cos, Function::expm1, Function::log1p}) {
      double v = normal(random) * std::exp2(static_cast<double>(random() % 12) - 8);
      if (f == Function::log || f == Function::sqrt || f == Function::rsqrt || f == Function::log1p)
        v = std::fabs(v);
      arb_set_d(x, v);
      switch (f) {
        case Function::exp:
          arb_exp(y, x, 400);
          break;
        case Function::log:
          arb_log(y, x, 400);
          break;
        case Function::sqrt:
          arb_sqrt(y, x, 400);
          break;
        case Function::rsqrt:
          arb_rsqrt(y, x, 400);
          break;
        case Function::tanh:
          arb_tanh(y, x, 400);
          break;
        case Function::erf:
          arb_hypgeom_erf(y, x, 400);
          break;
        case Function::sin:
          arb_sin(y, x, 400);
          break;
        case Function::cos:
          arb_cos(y, x, 400);
          break;
        case Function::expm1:
          arb_expm1(y, x, 400);
          break;
        default:
          arb_log1p(y, x, 400);
          break;
      }
      const std::string text = call(f, Real(v)).value.to_string(80);
      ASSERT_EQ(arb_set_str(mine, text.c_str(), 400), 0);
      arb_sub(mine, mine, y, 400);
      arb_div(mine, mine, y, 400);
      mag_t gap;
      mag_init(gap);
      arb_get_mag(gap, mine);
      EXPECT_LT(mag_get_d_log2_approx(gap), -250) << static_cast<int>(f) << " of " << v << " is " << text;
      mag_clear(gap);
    }
  }
  arb_clear(x);
  arb_clear(y);
  arb_clear(mine);
}

}  // namespace
}  // namespace assay
