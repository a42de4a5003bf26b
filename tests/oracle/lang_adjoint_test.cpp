// `contract X = adjoint of Y`: the derived gradients are those that the library states by hand, and the
// transpose of the derivative that TangentAlgebra computes.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "oracle/evaluator.h"
#include "oracle/judge.h"
#include "oracle/printer.h"
#include "tests/oracle/double_algebra.h"

namespace assay {
namespace {

using Row = std::vector<double>;

Contract derived(const std::string& forward, const std::string& more = {}) {
  auto contracts = parse_contracts("contract derived = adjoint of " + forward + more + "\n", "a.contract");
  if (!contracts) ADD_FAILURE() << contracts.error().message;
  return contracts->back();
}

Tensor random_tensor(const TensorSpec& spec, std::mt19937_64& random) {
  Tensor t(spec.dtype, spec.shape);
  for (std::int64_t i = 0; i < t.size(); ++i) {
    if (spec.is_index)
      t.set_bits(i, encode_integer(spec.dtype, static_cast<std::int64_t>(
                                                   random() % static_cast<std::uint64_t>(spec.bound))));
    else
      t.set_bits(i, encode(spec.dtype, 0.25 + static_cast<double>(random() % 1000) / 700));
  }
  return t;
}

std::vector<Tensor> random_tensors(const Contract& contract, const Instance& instance, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Tensor> tensors;
  const Shapes shapes = *shapes_of(contract, instance);
  for (const TensorSpec& spec : shapes.inputs) tensors.push_back(random_tensor(spec, random));
  return tensors;
}

std::vector<Row> outputs(const Contract& contract, const Instance& instance,
                         const std::vector<Tensor>& inputs) {
  const Shapes shapes = *shapes_of(contract, instance);
  DoubleAlgebra algebra;
  Evaluator<DoubleAlgebra> evaluator(contract.program(), instance, shapes, inputs, algebra);
  std::vector<Row> rows;
  for (std::size_t k = 0; k < shapes.outputs.size(); ++k) {
    Row& row = rows.emplace_back();
    for (std::int64_t i = 0; i < count(shapes.outputs[k].shape); ++i) row.push_back(evaluator.output(k, i));
  }
  EXPECT_FALSE(evaluator.fault()) << *evaluator.fault();
  return rows;
}

Row defaults(const Contract& contract) {
  Row values;
  for (const Attribute& a : contract.signature().attributes) values.push_back(a.fallback.value_or(0));
  return values;
}

struct Pair {
  std::string forward, backward;
  Dims dims;
};

const std::vector<Pair> kPairs = {{"softmax", "softmax_backward", {3, 7}},
                                  {"rms_norm", "rms_norm_backward", {3, 8}},
                                  {"layer_norm", "layer_norm_backward", {4, 5}},
                                  {"gelu", "gelu_backward", {9}},
                                  {"matmul", "matmul_backward", {3, 4, 5}}};

TEST(Adjoint, IsWhatTheLibraryStatesByHand) {
  for (const Pair& pair : kPairs) {
    const Contract by_hand = *load_contract(pair.backward);
    const Contract contract = derived(pair.forward);
    SCOPED_TRACE(lang::to_string(contract.program()));
    const Instance instance{DType::f64, pair.dims, defaults(by_hand)};
    ASSERT_EQ(contract.signature().inputs.size(), by_hand.signature().inputs.size());
    ASSERT_EQ(contract.signature().outputs.size(), by_hand.signature().outputs.size());
    const std::vector<Tensor> inputs = random_tensors(by_hand, instance, 3);
    const std::vector<Row> got = outputs(contract, instance, inputs),
                           want = outputs(by_hand, instance, inputs);
    for (std::size_t k = 0; k < want.size(); ++k) {
      EXPECT_EQ(contract.signature().outputs[k].name, by_hand.signature().outputs[k].name);
      ASSERT_EQ(got[k].size(), want[k].size());
      for (std::size_t i = 0; i < want[k].size(); ++i)
        EXPECT_NEAR(got[k][i], want[k][i], 1e-12 * std::max(1.0, std::fabs(want[k][i]))) << k << " " << i;
    }
  }
}

// <J v, w> = <v, J^T w>, for a random v of every float input and a random w.
void expect_transpose(const Contract& forward, const Contract& backward, const Instance& instance,
                      std::uint64_t seed) {
  SCOPED_TRACE(lang::to_string(backward.program()));
  const std::vector<Tensor> given = random_tensors(backward, instance, seed);
  const std::size_t n = forward.signature().inputs.size();
  const std::vector<Tensor> inputs(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(n));
  const std::vector<Row> gradients = outputs(backward, instance, given);
  std::mt19937_64 random(seed + 1);
  std::vector<Row> directions(n);
  double right = 0, size = 0;
  for (std::size_t k = 0; k < gradients.size(); ++k) {
    const std::string of = backward.signature().outputs[k].name.substr(1);
    std::size_t i = 0;
    while (forward.signature().inputs[i].name != of) ++i;
    for (const double g : gradients[k]) {
      directions[i].push_back(static_cast<double>(random() % 200) / 100 - 1);
      right += g * directions[i].back();
      size += std::fabs(g * directions[i].back());
    }
  }
  double left = 0;
  const std::vector<Row> slopes = tangent(forward, instance, inputs, directions);
  for (std::size_t k = 0; k < slopes.size(); ++k)
    for (std::size_t i = 0; i < slopes[k].size(); ++i)
      left += slopes[k][i] * given[n + k].value(static_cast<std::int64_t>(i));
  EXPECT_NEAR(left, right, 1e-11 * std::max(1.0, size));
  EXPECT_GT(size, 1e-3) << "every gradient is zero";
}

struct Sample {
  std::string forward;
  std::vector<Dims> dims;
};

const std::vector<Sample> kSamples = {
    {"add", {{5}}},
    {"avg_pool2d", {{1, 2, 5, 4}}},
    {"batch_norm", {{2, 3, 4}}},
    {"bmm", {{2, 3, 4, 5}}},
    {"conv2d", {{2, 2, 5, 4, 3, 3, 2}}},
    {"cross_entropy", {{4, 5}}},
    {"cross_entropy_none", {{4, 5}}},
    {"cross_entropy_sum", {{4, 5}}},
    {"cumsum", {{2, 6}}},
    {"gelu", {{9}}},
    {"gelu_tanh", {{9}}},
    {"layer_norm", {{3, 6}, {1, 1}}},
    {"leaky_relu", {{6}}},
    {"linear_gelu", {{3, 4, 2}}},
    {"log_softmax", {{3, 6}}},
    {"matmul_ta", {{3, 4, 5}}},
    {"mean", {{3, 4}}},
    {"mse_loss", {{7}}},
    {"mul", {{7}}},
    {"rms_norm", {{3, 6}}},
    {"sdpa", {{1, 2, 3, 4, 5}}},
    {"sigmoid", {{8}}},
    {"silu", {{8}}},
    {"softmax", {{3, 6}}},
    {"sum_dim0", {{3, 4}}},
    {"tanh", {{8}}},
    {"transpose", {{3, 4}}},
};

TEST(Adjoint, IsTheTransposeOfTheDerivative) {
  for (const Sample& sample : kSamples) {
    SCOPED_TRACE(sample.forward);
    const Contract forward = *load_contract(sample.forward);
    const Contract backward = derived(sample.forward);
    for (const Dims& dims : sample.dims)
      expect_transpose(forward, backward, {DType::f64, dims, defaults(forward)}, 11);
  }
}

TEST(Adjoint, WindowsStridesAndCausalMasksNeedNoInverse) {
  const Contract conv = *load_contract("conv2d"), attention = *load_contract("sdpa");
  expect_transpose(conv, derived("conv2d"), {DType::f64, {1, 4, 7, 6, 2, 3, 2}, {2, 1, 2, 2}}, 5);
  expect_transpose(attention, derived("sdpa"), {DType::f64, {1, 1, 4, 5, 3}, {1}}, 5);
}

TEST(Adjoint, OfSomeInputsOnly) {
  const Contract contract = derived("layer_norm", " wrt w, b");
  ASSERT_EQ(contract.signature().outputs.size(), 2u);
  EXPECT_EQ(contract.signature().outputs[0].name, "dw");
  EXPECT_EQ(contract.signature().outputs[1].name, "db");
  EXPECT_EQ(*contract.adjoint_of(), "layer_norm");
  expect_transpose(*load_contract("layer_norm"), contract, {DType::f64, {4, 3}, {1e-5}}, 2);
}

TEST(Adjoint, OfAContractAbove) {
  const auto contracts = parse_contracts(
      "contract scaled(n, m)\n"
      "  input  x[n, m], s : float\n"
      "  output y[n], z : like x\n"
      "  y[i] = sum(s * sin(x[i, j]) * x[i, j - 1 else 0]^3 for j <= i)\n"
      "  z    = sum(cos(x[i, i % m]) * y[i] for i if i % 2 == 0) + expm1(s) * floor(s)\n"
      "contract back = adjoint of scaled\n",
      "a.contract");
  ASSERT_TRUE(contracts) << contracts.error().message;
  expect_transpose(contracts->front(), contracts->back(), {DType::f64, {4, 5}, {}}, 8);
}

}  // namespace
}  // namespace assay
