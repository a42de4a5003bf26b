// The evaluator against plain loops over doubles, written for each contract without regard to its text.

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include "oracle/contract.h"
#include "oracle/evaluator.h"
#include "oracle/gdn/problem.h"
#include "oracle/program.h"
#include "tests/oracle/double_algebra.h"
#include "tests/oracle/naive.h"

namespace assay {
namespace {

struct Inputs {
  std::vector<Tensor> tensors;
  std::vector<std::vector<double>> values;
};

Inputs draw(const Shapes& shapes, std::uint32_t seed, double spread) {
  std::mt19937 bits(seed);
  Inputs inputs;
  for (const TensorSpec& spec : shapes.inputs) {
    Tensor tensor(spec.dtype, spec.shape);
    std::vector<double> values;
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
      if (is_float(spec.dtype)) {
        const double part = static_cast<double>(bits() >> 8) / 16777216.0;
        const bool bounded = std::isfinite(spec.range.high - spec.range.low);
        tensor.set_bits(
            i, encode(spec.dtype, bounded ? spec.range.low + part * (spec.range.high - spec.range.low)
                                          : (part - 0.4) * spread));
      } else {
        const bool skip = spec.ignore && bits() % 4 == 0;
        const auto any =
            spec.bound > 0 ? static_cast<std::int64_t>(bits() % static_cast<std::uint32_t>(spec.bound)) : 0;
        tensor.set_bits(i, encode_integer(spec.dtype, skip            ? *spec.ignore
                                                      : spec.is_index ? any
                                                      : spec.dtype == DType::i8
                                                          ? static_cast<std::int64_t>(bits() % 256) - 128
                                                          : bits() % 2));
      }
      values.push_back(is_float(spec.dtype) ? tensor.value(i) : static_cast<double>(tensor.integer(i)));
    }
    inputs.tensors.push_back(std::move(tensor));
    inputs.values.push_back(std::move(values));
  }
  return inputs;
}

struct Evaluation {
  Contract contract;
  Instance instance;
  Shapes shapes;
  Inputs inputs;
  DoubleAlgebra algebra;
  Evaluator<DoubleAlgebra> evaluator;

  Evaluation(Contract c, Instance i, std::uint32_t seed = 7, std::string_view form = {}, double spread = 4)
      : contract(std::move(c)),
        instance(std::move(i)),
        shapes(*shapes_of(contract, instance)),
        inputs(draw(shapes, seed, spread)),
        evaluator(contract.program(), instance, shapes, inputs.tensors, algebra, form) {}

  Row output(std::size_t k = 0) {
    Row values;
    for (std::int64_t i = 0; i < count(shapes.outputs[k].shape); ++i)
      values.push_back(evaluator.output(k, i));
    EXPECT_FALSE(evaluator.fault()) << *evaluator.fault();
    return values;
  }
};

Contract one(std::string_view text) {
  auto contracts = parse_contracts(text, "a.contract");
  if (!contracts) ADD_FAILURE() << contracts.error().message;
  return contracts->back();
}

std::uint64_t bits(double value) {
  return encode(DType::f64, value);
}

void expect_near(const Row& got, const Row& want, const std::string& what, double slack = 1e-12) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(want[i])) {
      EXPECT_TRUE(std::isnan(got[i])) << what << " at " << i << ": " << got[i];
    } else if (std::isinf(want[i])) {
      EXPECT_EQ(got[i], want[i]) << what << " at " << i;
    } else {
      EXPECT_NEAR(got[i], want[i], slack * std::max(1.0, std::fabs(want[i]))) << what << " at " << i;
    }
  }
}

// Gradients by differences are right to about 1e-9; scaled sums of integers are stored in f32.
double slack(const std::string& contract) {
  if (contract.starts_with("matmul_i8_")) return 4e-7;
  return contract.ends_with("_backward") ? 2e-8 : 1e-12;
}

TEST(Evaluator, AgreesWithPlainLoops) {
  for (const Naive& naive : naive_contracts()) {
    const Contract contract = *load_contract(naive.contract);
    std::vector<std::string> forms = {""};
    for (const lang::Form& form : contract.program().forms) forms.push_back(form.name);
    for (const Dims& dims : naive.dims) {
      for (const std::string& form : forms) {
        Evaluation run(contract, {contract.dtypes().back(), dims, naive.attributes}, 7, form, naive.spread);
        const std::vector<Row> want = naive.outputs(dims, naive.attributes, run.inputs.values);
        ASSERT_EQ(want.size(), run.shapes.outputs.size()) << naive.contract;
        for (std::size_t k = 0; k < want.size(); ++k) {
          expect_near(run.output(k), want[k], naive.contract + " " + form, slack(naive.contract));
        }
      }
    }
  }
}

TEST(Evaluator, EveryOtherLibraryContractIsCompared) {
  for (const std::string& name : library_contracts()) {
    if (gdn::find_member(name.substr(0, name.rfind('_'))) != nullptr) continue;  // gdn_contract_test.cpp
    const bool compared = std::any_of(naive_contracts().begin(), naive_contracts().end(),
                                      [&](const Naive& naive) { return naive.contract == name; });
    EXPECT_TRUE(compared) << name;
  }
}

// Elements in any order, alone or after others, are the same.
TEST(Evaluator, LazilyIsWholly) {
  for (const Naive& naive : naive_contracts()) {
    const Contract contract = *load_contract(naive.contract);
    const Instance instance{DType::f32, naive.dims.back(), naive.attributes};
    Evaluation whole(contract, instance);
    Evaluation backwards(contract, instance);
    for (std::size_t k = whole.shapes.outputs.size(); k-- > 0;) {
      const Row values = whole.output(k);
      for (std::size_t i = values.size(); i-- > 0;) {
        EXPECT_EQ(bits(backwards.evaluator.output(k, static_cast<std::int64_t>(i))), bits(values[i]))
            << naive.contract;
      }
      Evaluation alone(contract, instance);
      const std::int64_t some = static_cast<std::int64_t>(values.size()) * 2 / 3;
      EXPECT_EQ(bits(alone.evaluator.output(k, some)), bits(values[static_cast<std::size_t>(some)]))
          << naive.contract;
    }
  }
}

TEST(Evaluator, SharedNodesAreEvaluatedOnce) {
  Evaluation softmax(*load_contract("softmax"), {DType::f32, {4, 50}, {}});
  softmax.output();
  EXPECT_EQ(softmax.algebra.exponentials, 200);
  EXPECT_EQ(softmax.algebra.sums, 204);  // a difference an element, a sum a row
  EXPECT_EQ(softmax.algebra.inputs, 200);
  Evaluation gelu(*load_contract("gelu"), {DType::f32, {10}, {}});
  gelu.output();
  EXPECT_EQ(gelu.algebra.operations, 1 + 10 * 3);  // sqrt(1/2) once; two products and erf an element
}

TEST(Evaluator, OneElementOfAHugeCaseCostsItsRow) {
  const Contract contract = *load_contract("softmax");
  const Instance instance{DType::f16, {1 << 14, 512}, {}};
  Evaluation run(contract, instance);
  run.evaluator.output(0, 5 * 512 + 3);
  EXPECT_EQ(run.algebra.inputs, 512);
  EXPECT_EQ(run.algebra.exponentials, 512);
  // Equal subexpressions of different definitions are one node, whatever their indices are called.
  Evaluation twice(one(R"(contract twice(n, m)
  input  x[n, m] : float
  output y[n, m], z[n] : like x
  y[i, j] = x[i, j] - sum(exp(x[i, p]) for p)
  z[a] = 2 * sum(exp(x[a, q]) for q)
)"),
                   {DType::f32, {3, 5}, {}});
  twice.output(0);
  twice.output(1);
  EXPECT_EQ(twice.algebra.exponentials, 15);
}

constexpr std::string_view kDelta = R"(contract gated_delta_rule(t, k, v; scale)
  input  q[t, k], key[t, k], val[t, v], g[t], beta[t], s0[k, v] : float
  output o[t, v] : like val
  S[-1, c, j] = s0[c, j]
  d[i, j]     = beta[i] * (val[i, j] - sum(exp(g[i]) * S[i-1, c, j] * key[i, c] for c))
  S[i, c, j]  = exp(g[i]) * S[i-1, c, j] + key[i, c] * d[i, j]
  o[i, j]     = scale * sum(S[i, c, j] * q[i, c] for c)
)";

Row delta_rule(std::size_t t, std::size_t k, std::size_t v, double scale, const std::vector<Row>& in) {
  Row state = in[5];
  Row o;
  for (std::size_t i = 0; i < t; ++i) {
    Row next(state.size());
    for (std::size_t j = 0; j < v; ++j) {
      double seen = 0;
      for (std::size_t c = 0; c < k; ++c) seen += std::exp(in[3][i]) * state[c * v + j] * in[1][i * k + c];
      const double d = in[4][i] * (in[2][i * v + j] - seen);
      for (std::size_t c = 0; c < k; ++c)
        next[c * v + j] = std::exp(in[3][i]) * state[c * v + j] + in[1][i * k + c] * d;
    }
    state = next;
    for (std::size_t j = 0; j < v; ++j) {
      double total = 0;
      for (std::size_t c = 0; c < k; ++c) total += state[c * v + j] * in[0][i * k + c];
      o.push_back(scale * total);
    }
  }
  return o;
}

TEST(Evaluator, RecursionOverAnIndexIsAScan) {
  Evaluation run(one(kDelta), {DType::f32, {6, 3, 4}, {0.5}});
  const Row want = delta_rule(6, 3, 4, 0.5, run.inputs.values);
  expect_near(run.output(), want, "whole");
  Evaluation last(one(kDelta), {DType::f32, {6, 3, 4}, {0.5}});
  EXPECT_NEAR(last.evaluator.output(0, 23), want[23], 1e-9);
  EXPECT_LT(last.algebra.inputs, run.algebra.inputs);  // one column of values only
}

TEST(Evaluator, LongRecursionsNeedNoDeepStack) {
  const Contract scan = one(R"(contract scan(n)
  input  x[n] : float
  output y[n] : like x
  y[i] = x[i] + (y[i-1] / 2 if i > 0 else 0)
)");
  Evaluation run(scan, {DType::f32, {200000}, {}});
  double want = 0;
  for (const double x : run.inputs.values[0]) want = x + want / 2;
  EXPECT_NEAR(run.evaluator.output(0, 199999), want, 1e-12);
}

TEST(Evaluator, RecursionMayReadEverythingBefore) {
  Evaluation run(one(R"(contract solve(n)
  "forward substitution"
  input  l[n, n], b[n] : float
  output y[n] : like b
  y[i] = b[i] - sum(l[i, j] * y[j] for j < i)
)"),
                 {DType::f64, {7}, {}});
  Row want;
  for (std::size_t i = 0; i < 7; ++i) {
    double total = run.inputs.values[1][i];
    for (std::size_t j = 0; j < i; ++j) total -= run.inputs.values[0][i * 7 + j] * want[j];
    want.push_back(total);
  }
  expect_near(run.output(), want, "solve");
}

TEST(Evaluator, IndicesMayBeComputed) {
  Evaluation norm(one(R"(contract group_sum(ch, l; groups)
  input  x[ch, l] : float
  output y[ch, l] : like x
  where  groups >= 1, ch % groups == 0
  s[g] = sum(x[g * (ch // groups) + c, p] for c < ch // groups, p)
  y[c, p] = x[c, p] - s[c // (ch // groups)]
)"),
                  {DType::f64, {6, 4}, {3}});
  Row want;
  for (std::size_t c = 0; c < 6; ++c) {
    double total = 0;
    for (std::size_t k = c / 2 * 8; k < c / 2 * 8 + 8; ++k) total += norm.inputs.values[0][k];
    for (std::size_t p = 0; p < 4; ++p) want.push_back(norm.inputs.values[0][c * 4 + p] - total);
  }
  expect_near(norm.output(), want, "groups");
}

TEST(Evaluator, ReadsBeyondTheEdgeTakeTheirElse) {
  Evaluation run(one(R"(contract blur(n)
  input  x[n] : float
  output y[n] : like x
  y[i] = sum(x[i + d - 1 else 10] for d < 3) + (x[i+1] if i + 1 < n else -1)
)"),
                 {DType::f64, {3}, {}});
  const Row& x = run.inputs.values[0];
  expect_near(run.output(), {10 + x[0] + x[1] + x[1], x[0] + x[1] + x[2] + x[2], x[1] + x[2] + 10 - 1},
              "blur");
  Evaluation wrong(one(R"(contract over(n)
  input  x[n] : float
  output y[n] : like x
  y[i] = x[i + 1]
)"),
                   {DType::f64, {3}, {}});
  EXPECT_TRUE(std::isnan(wrong.evaluator.output(0, 2)));
  EXPECT_EQ(
      wrong.evaluator.fault(),
      "a.contract:4:10: index [3] is out of range; guard the read with 'if', or write [... else VALUE]");
}

TEST(Evaluator, ConditionsCountsAndQuantifiers) {
  Evaluation run(one(R"(contract mixed(n; causal = true, alpha = 0.1)
  input  x[n], w[n] : float, m[n] : bool, t[n] : index(n)
  output y[n], c, a : like x
  output e[n] : bool
  y[i] = (clamp(x[i], -alpha, 1/4) if m[i] or (causal == 1 and i % 2 == 0) else fmax(x[t[i]], w[i], 0))
  c    = count(x[i] > w[i] for i) + count(m[i] and t[i] > 0 for i) / 2
  a    = prod(x[i] for i if m[i]) + min(x[i] for i in 1 .. n - 1)
  e[i] = any(x[j] > x[i] for j) and not all(x[j] > w[i] for j)
)"),
                 {DType::f64, {9}, {0, 0.1}});
  const auto& in = run.inputs.values;
  Row y;
  Row e;
  double c = 0;
  double product = 1;
  double least = INFINITY;
  for (std::size_t i = 0; i < 9; ++i) {
    const double other = std::max({in[0][static_cast<std::size_t>(in[3][i])], in[1][i], 0.0});
    y.push_back(in[2][i] != 0 ? std::min(std::max(in[0][i], -0.1), 0.25) : other);
    c += (in[0][i] > in[1][i] ? 1 : 0) + (in[2][i] != 0 && in[3][i] > 0 ? 0.5 : 0);
    if (in[2][i] != 0) product *= in[0][i];
    if (i >= 1 && i < 8) least = std::min(least, in[0][i]);
    bool larger = false;
    bool all = true;
    for (std::size_t j = 0; j < 9; ++j) {
      larger |= in[0][j] > in[0][i];
      all &= in[0][j] > in[1][i];
    }
    e.push_back(larger && !all ? 1 : 0);
  }
  expect_near(run.output(0), y, "y");
  expect_near(run.output(1), {c}, "c");
  expect_near(run.output(2), {product + least}, "a");
  expect_near(run.output(3), e, "e");
}

TEST(Evaluator, RoundAndAllowApplyAtTheDefinition) {
  const Contract contract = one(R"(contract rounded(n; eps = 0.3)
  input  x[n] : float
  output y[n] : like x
  round h, eps to dtype
  allow nan in y[k] if x[k] == inf and k > 0
  h[i] = x[i] / 3
  y[i] = h[i] + eps
  form direct
  h[i] = x[i] / 3
)");
  Evaluation run(contract, {DType::f16, {4}, {0.3}});
  Row want;
  Row direct;
  const auto half = [](double v) { return decode(DType::f16, encode(DType::f16, v)); };
  for (const double x : run.inputs.values[0]) {
    want.push_back(half(x / 3) + half(0.3));
    direct.push_back(x / 3 + half(0.3));
  }
  expect_near(run.output(), want, "rounded");
  EXPECT_EQ(run.algebra.rounds, 5);
  EXPECT_EQ(run.algebra.allows, 0);
  Evaluation other(contract, {DType::f16, {4}, {0.3}}, 7, "direct");
  expect_near(other.output(), direct, "direct");

  Evaluation infinite(contract, {DType::f16, {2}, {0.3}});
  infinite.inputs.tensors[0].set_bits(0, encode(DType::f16, INFINITY));
  infinite.inputs.tensors[0].set_bits(1, encode(DType::f16, INFINITY));
  infinite.output();
  EXPECT_EQ(infinite.algebra.allows, 1);
}

// Chains of + - and * are one sum and one product; literals and defaults keep their own exact text.
struct Recorder : DoubleAlgebra {
  std::vector<std::size_t> sums_of;
  std::vector<std::size_t> products_of;
  std::vector<Constant> constants;
  Value sum(std::span<const Value> terms, Sum how) {
    if (how == Sum::terms) sums_of.push_back(terms.size());
    return DoubleAlgebra::sum(terms, how);
  }
  Value product(std::span<const Value> factors) {
    products_of.push_back(factors.size());
    return DoubleAlgebra::product(factors);
  }
  Value constant(const Constant& c) {
    constants.push_back(c);
    return DoubleAlgebra::constant(c);
  }
};

TEST(Evaluator, ChainsAreOneOperationAndConstantsExact) {
  const Contract contract = one(R"(contract chain(n; eps = 1e-5)
  input  x[n] : float
  output y[n] : like x
  y[i] = x[i] - (x[i] + eps) + x[i] * (2 * x[i]) * (-3/4) + 1/n
)");
  for (const double eps : {1e-5, 0.75}) {
    const Instance instance{DType::f32, {3}, {eps}};
    const Shapes shapes = *shapes_of(contract, instance);
    const Inputs inputs = draw(shapes, 3, 4);
    Recorder recorder;
    Evaluator<Recorder> evaluator(contract.program(), instance, shapes, inputs.tensors, recorder);
    const double x = inputs.values[0][1];
    EXPECT_NEAR(evaluator.output(0, 1), -eps - 1.5 * x * x + 1.0 / 3, 1e-14);
    EXPECT_EQ(recorder.sums_of, (std::vector<std::size_t>{5}));
    EXPECT_EQ(recorder.products_of, (std::vector<std::size_t>{4}));
    const auto has = [&](Constant::Kind kind, std::int64_t numerator, std::int64_t denominator,
                         int exponent) {
      return std::any_of(recorder.constants.begin(), recorder.constants.end(), [&](const Constant& c) {
        return c.kind == kind && c.numerator == numerator && c.denominator == denominator &&
               c.exponent == exponent;
      });
    };
    EXPECT_TRUE(has(Constant::Kind::rational, -3, 4, 0));
    EXPECT_TRUE(has(Constant::Kind::rational, 1, 3, 0));
    EXPECT_EQ(has(Constant::Kind::rational, 1, 1, -5), eps == 1e-5);
    EXPECT_EQ(has(Constant::Kind::real, 1, 1, 0), eps != 1e-5);
  }
}

// A condition that may go either way needs both branches; one that is sure needs its own only.
struct Unsure : DoubleAlgebra {
  bool sure = false;
  int selects = 0;
  int depends = 0;
  Truth compare(Comparison op, Value a, Value b) {
    const Truth t = DoubleAlgebra::compare(op, a, b);
    return sure ? t : Truth{true, true, t.at_truth};
  }
  Value select(Truth t, Value yes, Value no) {
    ++selects;
    return DoubleAlgebra::select(t, yes, no);
  }
  Value depend(Value result, std::span<const Value> compared) {
    depends += static_cast<int>(compared.size());
    return result;
  }
};

TEST(Evaluator, OnlyPossibleBranchesAreEvaluated) {
  const Contract contract = one(R"(contract branch(n)
  input  x[n] : float
  output y[n] : like x
  y[i] = exp(x[i]) if x[i] > 0 else exp(2 * x[i])
)");
  const Instance instance{DType::f32, {4}, {}};
  const Shapes shapes = *shapes_of(contract, instance);
  const Inputs inputs = draw(shapes, 3, 4);
  for (const bool sure : {false, true}) {
    Unsure algebra;
    algebra.sure = sure;
    Evaluator<Unsure> evaluator(contract.program(), instance, shapes, inputs.tensors, algebra);
    for (std::int64_t i = 0; i < 4; ++i) {
      const double x = inputs.values[0][static_cast<std::size_t>(i)];
      EXPECT_EQ(evaluator.output(0, i), x > 0 ? std::exp(x) : std::exp(2 * x));
    }
    EXPECT_EQ(algebra.exponentials, sure ? 4 : 8);
    EXPECT_EQ(algebra.selects, sure ? 0 : 4);
    EXPECT_EQ(algebra.depends, 8);
  }
}

}  // namespace
}  // namespace assay
