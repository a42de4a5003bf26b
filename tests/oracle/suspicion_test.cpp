// The statistical tier: right kernels are never suspect, and a narrow accumulator that hides inside the worst
// case of a long sum is.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/realise.h"
#include "oracle/contract.h"
#include "oracle/evaluator.h"
#include "oracle/judge.h"
#include "oracle/rounded.h"
#include "tests/oracle/kernel_algebra.h"

namespace assay {
namespace {

struct Problem {
  Contract contract;
  Instance instance;
  Shapes shapes;
  std::vector<Tensor> inputs;
};

Problem problem(const char* name, DType dtype, Dims dims, Fill fill, std::uint64_t seed) {
  Contract contract = *load_contract(name);
  Instance instance{dtype, std::move(dims), {}};
  for (const Attribute& a : contract.signature().attributes)
    instance.attributes.push_back(a.fallback.value_or(0.5));
  Shapes shapes = *shapes_of(contract, instance);
  Case c;
  c.instance = instance;
  c.inputs.assign(shapes.inputs.size(), {fill});
  c.seed = seed;
  std::vector<Tensor> inputs = realise(c, shapes);
  return {std::move(contract), std::move(instance), std::move(shapes), std::move(inputs)};
}

template <class Algebra>
std::vector<Tensor> outputs_of(const Problem& p, Algebra& algebra) {
  Evaluator<Algebra> evaluator(p.contract.program(), p.instance, p.shapes, p.inputs, algebra);
  std::vector<Tensor> outputs;
  for (std::size_t k = 0; k < p.shapes.outputs.size(); ++k) {
    Tensor& t = outputs.emplace_back(p.shapes.outputs[k].dtype, p.shapes.outputs[k].shape);
    for (std::int64_t i = 0; i < t.size(); ++i) t.set_bits(i, encode(t.dtype(), evaluator.output(k, i)));
  }
  return outputs;
}

TEST(Suspicion, RightKernelsHaveTheErrorsOfIndependentRoundings) {
  Random random(3);
  constexpr Fill kFills[] = {Fill::normal, Fill::uniform, Fill::negative, Fill::offset, Fill::wide};
  struct {
    const char* name;
    Dims dims;
  } const kSubjects[] = {{"sum", {6, 3000}},     {"matmul", {5, 4, 500}},      {"linear", {5, 4, 200}},
                         {"softmax", {3, 500}},  {"layer_norm", {3, 500}},     {"cumsum", {2, 300}},
                         {"logsumexp", {6, 90}}, {"softmax_backward", {3, 90}}};
  Strain all;
  for (const auto& subject : kSubjects)
    for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
      for (const Fill fill : kFills) {
        const Problem p = problem(subject.name, dtype, subject.dims, fill, random());
        if (p.contract.accumulator(dtype) != DType::f32) continue;
        KernelAlgebra kernel(random);
        const std::vector<Tensor> got = outputs_of(p, kernel);
        Judge judge(p.contract, p.instance, p.inputs);
        for (std::size_t k = 0; k < got.size(); ++k)
          EXPECT_EQ(judge.suspicion(k, got[k], &all), std::nullopt) << subject.name << " in " << name(dtype);
      }
  EXPECT_GT(all.elements, 500);
  EXPECT_GT(all.root_mean_square(), 0.05);
  EXPECT_LT(all.root_mean_square(), 1);
}

TEST(Suspicion, SeesAnAccumulatorThatHidesInsideTheBudget) {
  int hidden = 0;
  for (const DType narrow : {DType::bf16, DType::f16})
    for (const DType dtype : {DType::f32, DType::bf16})
      for (std::uint64_t seed = 0; seed < 4; ++seed) {
        const Problem p = problem("sum", dtype, {4, 32768}, Fill::normal, seed);
        RoundedAlgebra kernel(narrow, false);
        const Tensor got = outputs_of(p, kernel)[0];
        Judge judge(p.contract, p.instance, p.inputs);
        if (judge.all(0, got).refused > 0) continue;
        ++hidden;
        const auto sentence = judge.suspicion(0, got);
        ASSERT_TRUE(sentence) << name(narrow) << " for " << name(dtype);
        EXPECT_NE(sentence->find("y: errors are"), std::string::npos) << *sentence;
      }
  EXPECT_GE(hidden, 4);
}

// Integers, and outputs that hold no finite number, say nothing.
TEST(Suspicion, SaysNothingWhereThereIsNothingToWeigh) {
  Problem p = problem("sum", DType::f32, {4, 8}, Fill::normal, 1);
  for (std::int64_t i = 0; i < 32; ++i) p.inputs[0].set_bits(i, encode(DType::f32, NAN));
  Tensor got(DType::f32, p.shapes.outputs[0].shape);
  for (std::int64_t i = 0; i < 4; ++i) got.set_bits(i, encode(DType::f32, NAN));
  Strain strain;
  EXPECT_EQ(Judge(p.contract, p.instance, p.inputs).suspicion(0, got, &strain), std::nullopt);
  EXPECT_EQ(strain.elements, 0);
  const Problem largest = problem("argmax", DType::f32, {4, 8}, Fill::normal, 1);
  const Tensor zeros(largest.shapes.outputs[0].dtype, largest.shapes.outputs[0].shape);
  EXPECT_EQ(Judge(largest.contract, largest.instance, largest.inputs).suspicion(0, zeros, &strain),
            std::nullopt);
  EXPECT_FALSE(strain.is_suspect());
}

}  // namespace
}  // namespace assay
