// The filter's error bounds against 400 bits, and its rulings against MPFR's, a million of each.

#include "oracle/filter.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "oracle/rounded.h"
#include "oracle/ruling.h"

namespace assay {
namespace {

using Random = std::mt19937_64;

double draw(Random& random) {
  std::normal_distribution<double> z;
  switch (random() % 5) {
    case 0:
      return static_cast<float>(z(random));
    case 1:
      return z(random);
    case 2:
      return static_cast<double>(static_cast<int>(random() % 33) - 16);
    case 3:
      return std::ldexp(z(random), static_cast<int>(random() % 80) - 40);
    default:
      return 1 + z(random) * 1e-7;
  }
}

// A number as the filter and as the truth.
template <class T>
struct Pair {
  Filter<T> filter;
  Real truth;
};

// The C library's answers are the truth's where both are exact: at zeros of both signs above all.
TEST(Filter, EvaluatesZerosAsTheTruth) {
  for (int i = 0; i <= static_cast<int>(Function::sign); ++i) {
    const auto f = static_cast<Function>(i);
    for (const double x : {0.0, -0.0}) {
      if (f == Function::log || f == Function::rsqrt) continue;
      const double truth = call(f, Real(x)).value.to_double();
      for (const double y : {evaluate(f, x), static_cast<double>(evaluate(f, static_cast<long double>(x))),
                             RoundedAlgebra(DType::f64, false).call(f, x)}) {
        EXPECT_EQ(y, truth) << i;
        EXPECT_EQ(std::signbit(y), std::signbit(truth)) << i << " at " << x;
      }
    }
  }
}

template <class T>
void bounds_hold(std::uint64_t seed, int rounds) {
  const Real::Scope scope(400);
  Random random(seed);
  std::int64_t checked = 0, exact = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Pair<T>> x;
    for (int i = 0; i < 4; ++i) {
      const double v = draw(random);
      x.push_back({Filter<T>::exact(v), Real(v)});
    }
    for (int step = 0; step < 6; ++step) {
      const Pair<T> a = x[random() % x.size()], b = x[random() % x.size()];
      Pair<T> r;
      switch (random() % 5) {
        case 0:
          r = {Filter<T>::multiply(a.filter, b.filter), multiply(a.truth, b.truth).value};
          break;
        case 1:
          if (b.truth.is_zero() || std::fabs(b.filter.value) <= b.filter.error) continue;
          r = {Filter<T>::divide(a.filter, b.filter), divide(a.truth, b.truth).value};
          break;
        case 2: {
          std::vector<const Real*> terms;
          for (const Pair<T>& p : x) terms.push_back(&p.truth);
          r = {Filter<T>::sum(
                   x.size(), [&](std::size_t i) -> const Filter<T>& { return x[i].filter; }, true),
               sum(terms).value};
          break;
        }
        case 3:
          r = {Filter<T>::power(a.filter, 3), power(a.truth, 3).value};
          break;
        default: {
          const Function all[] = {Function::exp,   Function::log,   Function::sqrt, Function::rsqrt,
                                  Function::tanh,  Function::erf,   Function::sin,  Function::cos,
                                  Function::expm1, Function::log1p, Function::abs};
          const Function f = all[random() % 11];
          const bool positive =
              f == Function::log || f == Function::sqrt || f == Function::rsqrt || f == Function::log1p;
          if (positive && a.filter.value <= a.filter.error) continue;
          r = {Filter<T>::call(f, a.filter), call(f, a.truth).value};
        }
      }
      if (!r.filter.known() || std::fabs(r.filter.value) < T(0x1p-1000))
        break;  // Real's range ends at 2^-16000
      const Real gap = subtract(r.truth, Real(static_cast<long double>(r.filter.value))).value;
      ASSERT_LE(std::fabs(gap.to_long_double()), static_cast<long double>(r.filter.error))
          << round << ' ' << step;
      ++checked;
      exact += r.filter.is_exact();
      x.push_back(std::move(r));
    }
  }
  EXPECT_GT(checked, rounds * 3);
  EXPECT_GT(exact, checked / 100);  // what is exact is known to be
}

TEST(Filter, BoundsHoldInDouble) {
  bounds_hold<double>(1, 60'000);
}
TEST(Filter, BoundsHoldInLongDouble) {
  bounds_hold<long double>(2, 60'000);
}

// e^a / (b + e^c) as a small kernel, and every value around the ends of its budget.
template <class C>
Honest<C> small_kernel(HonestAlgebra<C>& algebra, DType dtype, const double (&in)[3]) {
  const auto input = [&](int i) { return algebra.input(0, 0, dtype, encode(dtype, in[i])); };
  const Honest<C> sum[] = {input(1), algebra.call(Function::exp, input(2))};
  return algebra.divide(algebra.call(Function::exp, input(0)), algebra.sum(sum, Sum::terms));
}

template <class C>
std::int64_t rulings_agree(DType dtype, std::uint64_t seed, int rounds) {
  Random random(seed);
  std::normal_distribution<double> z;
  Arithmetic arithmetic;
  arithmetic.dtype = dtype;
  arithmetic.work = dtype == DType::f64 ? DType::f64 : DType::f32;
  const TensorSpec spec{dtype, {}, false, 0, {}};
  std::int64_t decided = 0, unsure = 0;
  for (int i = 0; i < rounds; ++i) {
    const double in[3] = {z(random), std::fabs(z(random)), z(random)};
    const Real::Scope scope(192);
    HonestAlgebra<C> fast(arithmetic, false);
    HonestAlgebra<Ball> slow(arithmetic, false);
    const Honest<C> a = small_kernel(fast, dtype, in);
    const Honest<Ball> b = small_kernel(slow, dtype, in);
    const ElementReport middle = rule(slow, b, spec, encode(dtype, 1), {});
    const std::uint64_t low = encode(dtype, middle.low), high = encode(dtype, middle.high);
    for (const std::uint64_t bits :
         {low - 1, low, low + 1, low + (high - low) / 2, high - 1, high, high + 1, high + 9}) {
      const Ruling p = rule(fast, a, spec, bits, {}).ruling, q = rule(slow, b, spec, bits, {}).ruling;
      if (p == Ruling::undecidable) {
        ++unsure;
        continue;
      }
      ++decided;
      EXPECT_EQ(p, q) << in[0] << ' ' << in[1] << ' ' << in[2] << ' ' << bits;
    }
  }
  // Half of the values lie at the very ends, where a long double is 2^11 times as fine as a double's ulp.
  EXPECT_LT(unsure, dtype == DType::f64 ? decided / 100 : decided / 10'000);
  return decided;
}

TEST(Filter, RulingsAgreeWithMpfr) {
  const std::int64_t single = rulings_agree<Filter<double>>(DType::f32, 3, 75'000);
  const std::int64_t half = rulings_agree<Filter<double>>(DType::f16, 4, 25'000);
  const std::int64_t wide = rulings_agree<Filter<long double>>(DType::f64, 5, 30'000);
  EXPECT_GT(single + half + wide, 1'000'000);
}

}  // namespace
}  // namespace assay
