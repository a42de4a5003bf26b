// The algebra of budgets against random honest kernels: random programs over random inputs, evaluated in
// float with a random order, precision and error of every operation. Each intermediate must be accepted; and
// the rulings of the filter must agree with those of 256 bits.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "oracle/ruling.h"
#include "tests/oracle/random_program.h"

namespace assay {
namespace {

TEST(Honest, RandomKernelsAreAccepted) {
  Random random(7);
  const TensorSpec spec{DType::f32, {}, false, 0, {}};
  std::int64_t decisions = 0, unsure = 0, checked_by_ball = 0;
  for (int program = 0; program < 30'000; ++program) {
    HonestAlgebra<Filter<double>> algebra({}, false);
    std::vector<Honest<Filter<double>>> values;
    std::vector<float> kernel;
    const int family = static_cast<int>(random() % 8);
    const std::size_t inputs = 2 + random() % 6;
    for (std::size_t i = 0; i < inputs; ++i) {
      const auto x = static_cast<float>(draw(random, random() % 8 ? family : static_cast<int>(random() % 8)));
      kernel.push_back(x);
      values.push_back(algebra.input(0, 0, DType::f32, bits_of(x)));
    }
    std::vector<Step> steps;
    const std::size_t length = 1 + random() % 6;
    for (std::size_t k = 0; k < length; ++k) {
      const Step s = draw_step(random, values.size());
      const float y = honest(random, s, kernel);
      values.push_back(apply(algebra, s, values));
      steps.push_back(s);
      const ElementReport r = rule(algebra, values.back(), spec, bits_of(y), {});
      ++decisions;
      unsure += r.ruling == Ruling::undecidable;
      ASSERT_NE(r.ruling, Ruling::refused) << describe(s, kernel, r);
      if (program % 8 == 0) {
        // The same by MPFR, for this value and for one near the budget's edge.
        const Real::Scope scope(256);
        HonestAlgebra<Ball> exact({}, false);
        std::vector<Honest<Ball>> balls;
        for (std::size_t i = 0; i < inputs; ++i)
          balls.push_back(exact.input(0, 0, DType::f32, bits_of(kernel[i])));
        for (const Step& t : steps) balls.push_back(apply(exact, t, balls));
        for (const float at :
             {y, static_cast<float>(r.high), std::nextafter(static_cast<float>(r.high), INFINITY),
              static_cast<float>(r.low), std::nextafter(static_cast<float>(r.low), -INFINITY)}) {
          const ElementReport p = rule(algebra, values.back(), spec, bits_of(at), {});
          const ElementReport q = rule(exact, balls.back(), spec, bits_of(at), {});
          ++checked_by_ball;
          if (p.ruling == Ruling::undecidable || q.ruling == Ruling::undecidable) continue;
          // The filter's radii hold for every truth within its error, so that its last accepted value may be
          // one that MPFR's smaller radius leaves out; never the other way round.
          const bool edge = p.ruling == Ruling::accepted &&
                            (at == static_cast<float>(r.low) || at == static_cast<float>(r.high));
          if (edge) continue;
          ASSERT_EQ(p.ruling, q.ruling) << describe(s, kernel, p) << "\nby MPFR" << describe(s, kernel, q);
        }
      }
      kernel.push_back(y);
    }
  }
  // The filter knows nearly everything that is no extreme.
  EXPECT_LT(unsure, decisions / 20) << unsure << " of " << decisions;
  EXPECT_GT(checked_by_ball, 20'000);
}

// In a tree one half of the factors may overflow where the other vanishes: Inf * 0. Three factors have no
// two halves of which both are rounded.
TEST(Honest, AProductOfFourMayBeNanWhereHalvesOverflowAndVanish) {
  const TensorSpec spec{DType::f32, {}, false, 0, {}};
  HonestAlgebra<Filter<double>> algebra({}, false);
  std::vector<Honest<Filter<double>>> factors;
  for (const float x : {1e30F, 1e30F, 1e-30F, 1e-30F})
    factors.push_back(algebra.input(0, 0, DType::f32, bits_of(x)));
  const auto ruling = [&](std::size_t n) {
    const auto product = algebra.product(std::span(factors).first(n));
    return rule(algebra, product, spec, bits_of(NAN), {}).ruling;
  };
  EXPECT_EQ(ruling(4), Ruling::accepted);
  EXPECT_EQ(ruling(3), Ruling::refused);
}

// fma(-tiny, tiny, +0) is -0: of a sum of products that vanish the sign is free, unless none is below 0.
TEST(Honest, ASumOfProductsThatVanishMayBeNegativeZero) {
  const TensorSpec spec{DType::f32, {}, false, 0, {}};
  HonestAlgebra<Filter<double>> algebra({}, false);
  const auto input = [&](float x) { return algebra.input(0, 0, DType::f32, bits_of(x)); };
  const auto ruling = [&](float first) {
    const std::vector products = {algebra.product(std::vector{input(first), input(1e-30F)}),
                                  algebra.product(std::vector{input(2e-30F), input(1e-30F)})};
    const auto sum = algebra.sum(products, Sum::reduction);
    const auto biased = algebra.sum(std::vector{sum, input(-0.0F)}, Sum::terms);
    const auto relu = algebra.extreme(Extreme::max, std::vector{biased, input(0)});
    return rule(algebra, relu, spec, bits_of(-0.0F), {}).ruling;
  };
  EXPECT_EQ(ruling(-1e-30F), Ruling::accepted);
  EXPECT_EQ(ruling(1e-30F), Ruling::refused);
}

}  // namespace
}  // namespace assay
