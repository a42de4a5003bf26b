// What is added to a sum may be added by the sum's own accumulator: kernels that start at the bias are right,
// and all that was wrong before is wrong still.

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "oracle/judge.h"

namespace assay {
namespace {

using Random = std::mt19937_64;

struct Form {
  const char* what;
  const char* text;
  bool expect_joined;  // a kernel that starts at the addend is right
};

// All have inputs a[n], b[n], x and one output of rank 0, or rows of them.
const Form kForms[] = {
    {"x + sum", "y = x + sum(a[i] * b[i] for i)", true},
    {"sum + x", "y = sum(a[i] * b[i] for i) + x", true},
    {"x - sum", "y = x - sum(a[i] * b[i] for i)", true},
    {"a named sum", "s = sum(a[i] * b[i] for i)\n  y = s + x", true},
    {"a named sum that may be stored", "s = sum(a[i] * b[i] for i)\n  round s to dtype\n  y = s + x", true},
    {"a scaled sum", "y = 3 * x + 1/2 * sum(a[i] * b[i] for i)", true},
    {"a sum of sums", "p[i] = sum(a[i] * b[i] for j < 1)\n  y = x + sum(p[i] for i)", true},
    {"what the sum decides", "s = sum(a[i] * b[i] for i)\n  y = s - max(s, x)", false},
};

Contract contract_of(const Form& form) {
  const std::string text =
      std::string("contract probe(n)\n  input a[n], b[n], x : float\n  output y : like a\n  ") + form.text +
      "\n";
  auto contracts = parse_contracts(text, "probe.contract");
  EXPECT_TRUE(contracts) << form.what << ": " << contracts.error().message;
  return contracts->front();
}

// Sixteen-bit products are exact in f32, so are their sums on grids: contents where the sum alone is exact.
double content(Random& random, int family, DType dtype) {
  std::normal_distribution<double> z;
  const auto whole = [&](std::uint64_t n) {
    return static_cast<double>(random() % n) - static_cast<double>(n / 2);
  };
  double x = 0;
  switch (family) {
    case 0:
      x = whole(9);
      break;
    case 1:
      x = whole(257);
      break;
    case 2:
      x = z(random);
      break;
    case 3:
      x = std::ldexp(z(random), static_cast<int>(random() % 9) - 4);
      break;
    default:
      x = random() % 4 == 0 ? std::ldexp(1.0, static_cast<int>(random() % 15)) : whole(3);
      break;
  }
  return decode(dtype, encode(dtype, x));
}

struct Problem {
  Instance instance;
  std::vector<Tensor> inputs;
};

Problem problem(Random& random, DType dtype, std::int64_t n, int family) {
  Problem p{{dtype, {n}, {}}, {Tensor(dtype, {n}), Tensor(dtype, {n}), Tensor(dtype, {})}};
  for (Tensor& t : p.inputs)
    for (std::int64_t i = 0; i < t.size(); ++i) t.set_bits(i, encode(dtype, content(random, family, dtype)));
  // An addend with low bits that the sum does not have.
  p.inputs[2].set_bits(0, encode(dtype, content(random, static_cast<int>(random() % 5), dtype)));
  return p;
}

// acc = x; acc += t_i, in f32 and in some order; and the same with the addend at another place.
float accumulate(Random& random, float addend, std::vector<float> terms, bool fused, const Problem& p,
                 float scale) {
  const std::size_t place = random() % 2 ? 0 : random() % (terms.size() + 1);
  std::vector<std::size_t> order(terms.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  float acc = place == 0 ? addend : 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k == place && place != 0) acc += addend;
    const std::size_t i = order[k];
    const auto index = static_cast<std::int64_t>(i);
    acc = fused ? std::fma(scale * static_cast<float>(p.inputs[0].value(index)),
                           static_cast<float>(p.inputs[1].value(index)), acc)
                : acc + terms[i];
  }
  return place == terms.size() && place != 0 ? acc + addend : acc;
}

TEST(JoinedSums, AccumulatorsThatStartAtTheAddendAreRight) {
  Random random(1);
  std::int64_t apart = 0;  // where it differs from the sum rounded before the addend comes
  for (const Form& form : kForms) {
    if (!form.expect_joined) continue;
    const Contract contract = contract_of(form);
    const std::string what = form.what;
    const float sign = what == "x - sum" ? -1 : 1, scale = what == "a scaled sum" ? 0.5f : sign;
    const float weight = what == "a scaled sum" ? 3 : 1;
    for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
      for (const std::int64_t n : {1, 2, 3, 17, 64, 300})
        for (int family = 0; family < 5; ++family)
          for (int repeat = 0; repeat < 12; ++repeat) {
            const Problem p = problem(random, dtype, n, family);
            std::vector<float> terms;
            float sum = 0;
            for (std::int64_t i = 0; i < n; ++i) {
              terms.push_back(scale * static_cast<float>(p.inputs[0].value(i)) *
                              static_cast<float>(p.inputs[1].value(i)));
              sum += terms.back();
            }
            const float addend = weight * static_cast<float>(p.inputs[2].value(0));
            const float y = accumulate(random, addend, terms, repeat % 2 == 0, p, scale);
            apart += encode(dtype, y) != encode(dtype, sum + addend);
            Judge judge(contract, p.instance, p.inputs);
            const ElementReport r = judge.element(0, 0, encode(dtype, y));
            ASSERT_EQ(r.ruling, Ruling::accepted)
                << form.what << " in " << name(dtype) << ", n = " << n << ", contents " << family << ": got "
                << r.got << ", truth " << r.truth << ", accepted " << r.low << " to " << r.high << " ("
                << name(r.reason) << ")";
            Judge again(contract, p.instance, p.inputs);
            EXPECT_EQ(again.element(0, 0, encode(dtype, sum + addend)).ruling, Ruling::accepted) << form.what;
          }
  }
  EXPECT_GT(apart, 100);
}

// A sum that everything else depends on is finished before: nothing may start at its maximum.
TEST(JoinedSums, WhatNeedsTheSumIsNoTermOfIt) {
  const Contract contract = contract_of(kForms[7]);
  Problem p{{DType::f32, {3}, {}},
            {Tensor(DType::f32, {3}), Tensor(DType::f32, {3}), Tensor(DType::f32, {})}};
  for (std::int64_t i = 0; i < 3; ++i) {
    p.inputs[0].set_bits(i, encode(DType::f32, 1));
    p.inputs[1].set_bits(i, encode(DType::f32, i == 0 ? 0x1p22 : 0.75));
  }
  p.inputs[2].set_bits(0, encode(DType::f32, -1));
  Judge judge(contract, p.instance, p.inputs);
  EXPECT_EQ(judge.element(0, 0, encode(DType::f32, 0)).ruling, Ruling::accepted);
  // The sum's own roundings, twice by the interval; one accumulator for both terms would be five of 2^23.
  EXPECT_LT(judge.element(0, 0, encode(DType::f32, 0)).high, 1.1);
}

// Detection: one term dropped or doubled, and a narrower accumulator that starts at the addend.
TEST(JoinedSums, KeepTheirPower) {
  Random random(2);
  const Contract joined = contract_of(kForms[0]);
  const auto plain = parse_contracts(
      "contract probe(n)\n  input a[n], b[n], x : float\n  output y : like a\n  y = sum(a[i] * b[i] for i) + "
      "(x if n == 0 else 0)\n",
      "plain.contract");
  ASSERT_TRUE(plain) << plain.error().message;
  std::int64_t caught[2][3] = {};
  int cases = 0;
  for (const std::int64_t n : {16, 64, 256, 1024})
    for (int repeat = 0; repeat < 25; ++repeat, ++cases) {
      const Problem p = problem(random, DType::f32, n, 2);
      const auto term = [&](std::int64_t i) { return p.inputs[0].value(i) * p.inputs[1].value(i); };
      const auto place = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
      for (int k = 0; k < 2; ++k) {
        const double x = k == 0 ? p.inputs[2].value(0) : 0;
        double sum = x;
        double narrow = decode(DType::bf16, encode(DType::bf16, x));
        for (std::int64_t i = 0; i < n; ++i) {
          sum += term(i);
          narrow = decode(DType::bf16, encode(DType::bf16, narrow + term(i)));
        }
        const double wrong[] = {sum - term(place), sum + term(place), narrow};
        Judge judge(k == 0 ? joined : plain->front(), p.instance, p.inputs);
        for (int f = 0; f < 3; ++f)
          caught[k][f] += judge.element(0, 0, encode(DType::f32, wrong[f])).ruling == Ruling::refused;
      }
    }
  for (int f = 0; f < 3; ++f) {
    EXPECT_GE(caught[0][f], caught[1][f] - 1) << "fault " << f << " of " << cases;
    EXPECT_GT(caught[0][f], cases * 9 / 10) << "fault " << f << " of " << cases;
  }
}

}  // namespace
}  // namespace assay
