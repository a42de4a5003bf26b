// `assay explain` and `assay equal`.

#include <gtest/gtest.h>

#include <algorithm>

#include "oracle/equality.h"
#include "oracle/explanation.h"

namespace assay {
namespace {

Contract one(std::string_view text) {
  auto contracts = parse_contracts(text, "a.contract");
  if (!contracts) ADD_FAILURE() << contracts.error().message;
  return contracts->back();
}

bool says(const Contract& contract, const std::string& title, const std::string& line) {
  for (const Section& section : explain(contract))
    if (section.title == title)
      return std::find(section.lines.begin(), section.lines.end(), line) != section.lines.end();
  return false;
}

TEST(Explain, SaysWhatClausesMean) {
  const Contract contract =
      one("contract f(n, m; k = 2, eps)\n"
          "  input  x[n, m] : float, t[n] : index(m) or -1\n"
          "  output y[n] : like x\n"
          "  where  m >= 1\n"
          "  accumulate dtype depth 2 * m\n"
          "  profile cpu accuracy exp 3 ulp\n"
          "  subnormals may flush for bf16\n"
          "  allow nan, -inf in y[i] if t[i] == -1\n"
          "  allow nondeterminism\n"
          "  dtypes f32, bf16\n"
          "  aligned to 4\n"
          "  round s, eps to f16\n"
          "  s[i] = sum(exp(x[i, j]) for j) + eps\n"
          "  y[i] = s[i] * x[i, t[i] % m] / k\n"
          "  form other\n"
          "  s[i] = mean(x[i, j] for j)\n");
  EXPECT_TRUE(says(contract, "Tensors", "input  t[n]: indices from 0 to m - 1, or -1, which is ignored"));
  EXPECT_TRUE(says(contract, "Tensors", "attribute eps: a number, to be stated"));
  EXPECT_TRUE(says(contract, "Domain", "n may be 0"));
  EXPECT_TRUE(says(contract, "Domain", "dtypes f32, bf16"));
  EXPECT_TRUE(says(contract, "Definitions", "y[i] = s[i] * x[i, t[i] % m]/k"));
  EXPECT_TRUE(says(contract, "Form other", "s[i] = mean(x[i, j] for j)"));
  for (const char* line :
       {"Sums are kept in the dtype.", "No term of a sum passes more than 2 * m roundings.",
        "exp may be off by 3 ulp (only PyTorch's CPU needs this).", "Subnormals may become zeros in bf16.",
        "An honest kernel may store s in f16, eps in f16.", "y may also be NaN or -Inf where t[i] == -1.",
        "Bits may differ from run to run.", "Every address is a multiple of 4 bytes."})
    EXPECT_TRUE(says(contract, "Clauses", line)) << line;
  EXPECT_TRUE(says(contract, "Special values",
                   "The first, the last and the ignored index in t; all of them ignored."));
}

TEST(Explain, SaysDefaultsAndLeavesOutTheRest) {
  const Contract add = *load_contract("add"), softmax = *load_contract("softmax");
  EXPECT_TRUE(says(add, "Clauses", "Every run gives the same bits."));
  EXPECT_FALSE(says(add, "Clauses", "The terms of a reduction may be taken in any order."));
  EXPECT_TRUE(says(softmax, "Clauses", "The outputs do not depend on m: its gradient is 0."));
  EXPECT_TRUE(says(one("contract f = adjoint of softmax\n"), "Clauses",
                   "It is the backward of softmax, derived from its definitions."));
}

// Rows with large values of both signs, where a formula cancels.
std::vector<Tensor> inputs_of(const Contract& contract, const Instance& instance) {
  std::vector<Tensor> tensors;
  const Shapes shapes = *shapes_of(contract, instance);
  std::uint64_t state = 1;
  for (const TensorSpec& spec : shapes.inputs) {
    Tensor& t = tensors.emplace_back(spec.dtype, spec.shape);
    for (std::int64_t i = 0; i < t.size(); ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      t.set_bits(i, encode(spec.dtype, static_cast<double>(state >> 40) / 100000 - 80));
    }
  }
  return tensors;
}

Compared compared(const Contract& a, const Contract& b, const Instance& instance) {
  EXPECT_TRUE(check_comparable(a, b));
  return compare(a, b, instance, inputs_of(a, instance));
}

TEST(Equal, TellsFormulasOfOneFunctionFromOthers) {
  const Contract softmax = *load_contract("softmax");
  const std::string head =
      "contract f(n, m)\n"
      "  input  x[n, m] : float\n"
      "  output y[n, m] : like x\n"
      "  where  m >= 1\n";
  const Instance instance{DType::f32, {3, 17}, {}};
  const auto other = [&](const std::string& body) {
    return compared(softmax, one(head + body), instance).result;
  };
  EXPECT_EQ(other("  y[r, c] = exp(x[r, c]) / sum(exp(x[r, j]) for j)\n"), Comparability::agree);
  EXPECT_EQ(other("  y[r, c] = 1 / sum(exp(x[r, j] - x[r, c]) for j)\n"), Comparability::agree);
  EXPECT_EQ(other("  y[r, c] = 1 / sum(exp(x[r, j] - x[r, c]) for j < m - 1)\n"), Comparability::differ);
  EXPECT_EQ(other("  y[r, c] = exp(1000 * x[r, c]) / sum(exp(1000 * x[r, j]) for j)\n"),
            Comparability::beyond_range);
  const std::string off =
      "  y[r, c] = exp(x[r, c]) / sum(exp(x[r, j]) for j) * (1 + (1e-40 if c == 3 else 0))\n";
  const Compared tiny = compared(softmax, one(head + off), instance);
  EXPECT_EQ(tiny.result, Comparability::differ);
  EXPECT_EQ(tiny.difference.output, 0u);
  EXPECT_EQ(tiny.difference.index, 3);
}

TEST(Equal, OnlyOfOneSignature) {
  const auto comparable = check_comparable(*load_contract("softmax"), *load_contract("rms_norm"));
  ASSERT_FALSE(comparable);
  EXPECT_NE(comparable.error().message.find("0 and 1 attributes"), std::string::npos)
      << comparable.error().message;
  EXPECT_FALSE(check_comparable(*load_contract("softmax"), *load_contract("max")));
}

}  // namespace
}  // namespace assay
