// First-order budgets against random honest kernels, of random programs and of every contract of the library.

#include <gtest/gtest.h>

#include <cmath>

#include "core/realise.h"
#include "oracle/contract.h"
#include "oracle/evaluator.h"
#include "oracle/first_order.h"
#include "oracle/judge.h"
#include "oracle/ruling.h"
#include "tests/oracle/kernel_algebra.h"

namespace assay {
namespace {

using Linear = FirstOrderAlgebra<Filter<double>>;

TEST(FirstOrder, RandomKernelsAreAccepted) {
  Random random(11);
  const TensorSpec spec{DType::f32, {}, false, 0, {}};
  std::int64_t decisions = 0, sure = 0, closer = 0;
  for (int program = 0; program < 30'000; ++program) {
    Linear algebra({}, false);
    HonestAlgebra<Filter<double>> intervals({}, false);
    std::vector<Linear::Value> values;
    std::vector<Honest<Filter<double>>> honests;
    std::vector<float> kernel;
    const int family = static_cast<int>(random() % 8);
    const std::size_t inputs = 2 + random() % 6;
    for (std::size_t i = 0; i < inputs; ++i) {
      const auto x = static_cast<float>(draw(random, random() % 8 ? family : static_cast<int>(random() % 8)));
      kernel.push_back(x);
      values.push_back(algebra.input(0, 0, DType::f32, bits_of(x)));
      honests.push_back(intervals.input(0, 0, DType::f32, bits_of(x)));
    }
    const std::size_t length = 1 + random() % 6;
    for (std::size_t k = 0; k < length; ++k) {
      const Step s = draw_step(random, values.size());
      const float y = honest(random, s, kernel);
      values.push_back(apply(algebra, s, values));
      honests.push_back(apply(intervals, s, honests));
      kernel.push_back(y);
      ++decisions;
      const Linear::Value& v = values.back();
      const auto budget = algebra.budget(v);
      if (!budget) continue;
      ++sure;
      EXPECT_LE(*budget, algebra.far(v) * (1 + 1e-9));
      const ElementReport r = rule(algebra.honest(), algebra.held(v, *budget), spec, bits_of(y), {});
      ASSERT_NE(r.ruling, Ruling::refused) << describe(s, kernel, r);
      const Honest<Filter<double>>& h = honests.back();
      if (h.has(Honest<Filter<double>>::kFinite) && *budget < 0.5 * std::max(h.below, h.above)) ++closer;
    }
  }
  EXPECT_GT(sure, decisions / 3);
  EXPECT_GT(closer, 200) << sure << " of " << decisions;
}

// Where an inexact value meets itself again the interval counts it twice.
TEST(FirstOrder, KnowsCorrelation) {
  Linear algebra({}, false);
  const auto number = [&](float x) { return algebra.input(0, 0, DType::f32, bits_of(x)); };
  const Linear::Value terms[] = {number(1.1f), number(2.3f), number(-0.7f)};
  const Linear::Value x = algebra.sum(terms, Sum::reduction);
  const Linear::Value difference[] = {x, algebra.negate(x)};
  EXPECT_EQ(*algebra.budget(algebra.sum(difference, Sum::terms)), 0);
  // A maximum is its own term.
  const Linear::Value scores[] = {x, number(1)};
  const Linear::Value gap[] = {x, algebra.negate(algebra.extreme(Extreme::max, scores))};
  EXPECT_EQ(*algebra.budget(algebra.sum(gap, Sum::terms)), 0);
  EXPECT_GT(*algebra.budget(x), 0);
  EXPECT_EQ(*algebra.budget(number(1)), 0);
}

TEST(FirstOrder, IsUnsureWhereOperationsMayOverflow) {
  Linear algebra({}, false);
  const auto number = [&](float x) { return algebra.input(0, 0, DType::f32, bits_of(x)); };
  const Linear::Value large[] = {number(0x1p100f), number(0x1p100f)};
  EXPECT_FALSE(algebra.budget(algebra.product(large)));
  const Linear::Value near[] = {number(0x1.8p127f), number(0x1p120f)};
  EXPECT_FALSE(algebra.budget(algebra.sum(near, Sum::reduction)));
  // 1 / (1 / 3 - 1 / 3): nothing is known of the divisor's sign.
  const Linear::Value third = algebra.divide(number(1), number(3));
  const Linear::Value seventh = algebra.divide(number(1), number(7));
  const Linear::Value parts[] = {algebra.product(std::vector{third, number(3)}), number(-1), seventh,
                                 algebra.negate(algebra.divide(number(1), number(7)))};
  EXPECT_FALSE(algebra.budget(algebra.divide(number(1), algebra.sum(parts, Sum::terms))));
}

std::optional<Instance> draw_instance(const Contract& contract, Random& random, DType dtype) {
  const Signature& s = contract.signature();
  for (int attempt = 0; attempt < 400; ++attempt) {
    Instance instance{dtype, Dims(s.dims.size()), {}};
    const bool equal = random() % 2;
    const auto shared = static_cast<std::int64_t>(1 + random() % 6);
    for (std::int64_t& n : instance.dims) n = equal ? shared : static_cast<std::int64_t>(1 + random() % 6);
    if (s.dims.size() < 4 && random() % 2) instance.dims.back() = 40;
    for (const Attribute& a : s.attributes)
      instance.attributes.push_back(
          a.fallback.value_or(a.integral ? static_cast<double>(random() % 3) : 0.75));
    if (shapes_of(contract, instance)) return instance;
  }
  return std::nullopt;
}

TEST(FirstOrder, TheJudgeAcceptsHonestKernelsOfEveryContract) {
  Random random(5);
  constexpr Fill kFills[] = {Fill::normal, Fill::uniform, Fill::shifted, Fill::offset,     Fill::large,
                             Fill::wide,   Fill::small,   Fill::grid,    Fill::cancelling, Fill::subnormal};
  std::int64_t judged = 0;
  for (const std::string& name : library_contracts()) {
    const Contract contract = *load_contract(name);
    for (const DType dtype : contract.dtypes()) {
      if (dtype == DType::f64 || contract.accumulator(dtype) != DType::f32) continue;
      for (const Fill fill : kFills) {
        const auto instance = draw_instance(contract, random, dtype);
        ASSERT_TRUE(instance) << name;
        const Shapes shapes = *shapes_of(contract, *instance);
        Case c;
        c.instance = *instance;
        c.inputs.assign(shapes.inputs.size(), {fill});
        c.seed = random();
        const std::vector<Tensor> inputs = realise(c, shapes);
        KernelAlgebra kernel(random);
        Evaluator<KernelAlgebra> evaluator(contract.program(), *instance, shapes, inputs, kernel);
        Judge judge(contract, *instance, inputs);
        for (std::size_t k = 0; k < shapes.outputs.size(); ++k) {
          if (!is_float(shapes.outputs[k].dtype)) continue;
          Tensor got(shapes.outputs[k].dtype, shapes.outputs[k].shape);
          for (std::int64_t i = 0; i < got.size(); ++i)
            got.set_bits(i, encode(got.dtype(), evaluator.output(k, i)));
          const OutputReport r = judge.all(k, got);
          judged += r.judged;
          EXPECT_EQ(r.refused, 0) << name << ' ' << assay::name(dtype) << ' ' << assay::name(fill)
                                  << " output " << k << " at " << r.first_refused << ": got " << r.first.got
                                  << ", truth " << r.first.truth << ", accepted " << r.first.low << " .. "
                                  << r.first.high << ", " << assay::name(r.first.reason);
        }
      }
    }
  }
  EXPECT_GT(judged, 50'000);
}

}  // namespace
}  // namespace assay
