// The language: what parses, what a contract says of itself, shapes and domains.

#include <gtest/gtest.h>

#include "oracle/contract.h"
#include "oracle/parser.h"
#include "oracle/printer.h"
#include "oracle/program.h"

namespace assay {
namespace {

Contract one(std::string_view text) {
  auto contracts = parse_contracts(text, "a.contract");
  if (!contracts) ADD_FAILURE() << contracts.error().message;
  return contracts->back();
}

// Printing and parsing again gives the same tree.
TEST(ContractLanguage, LibraryRoundTrips) {
  ASSERT_GE(library_contracts().size(), 16u);
  for (const std::string& name : library_contracts()) {
    const auto contract = load_contract(name);
    ASSERT_TRUE(contract) << contract.error().message;
    EXPECT_EQ(contract->signature().name, name);
    EXPECT_FALSE(contract->summary().empty()) << name;
    const std::string printed = lang::to_string(contract->program());
    const auto again = parse_contracts(printed, "printed");
    ASSERT_TRUE(again) << printed << again.error().message;
    EXPECT_EQ(lang::to_string(again->back().program()), printed);
    EXPECT_EQ(again->back().program().exprs.size(), contract->program().exprs.size()) << printed;
  }
}

constexpr std::string_view kEverything = R"(# every clause once
contract everything(n, m; alpha, eps = 1e-5, causal = false, half = 1/2)
  "a summary"
  input  x[n, m], s : float, t[n] : index(m) or -100
  input  mask[n, m] : bool
  input  k[n] : int
  output y[n, m], z : like x
  output best[n] : index(m)
  output flag[n] : bool
  where  n >= 1 and m >= 1, m % 2 == 0 or n < 3
  accumulate f32 depth 2 * m
  accuracy exp 3.5 ulp
  profile cpu accuracy erf 4 ulp
  subnormals preserve for f32, f64
  profile cpu subnormals may flush for bf16
  allow nan, -inf in y[i, j] if x[i, j] == inf and i > 0
  allow sign of zero in z
  allow nondeterminism
  allow in place
  allow ties
  tensor cores
  dtypes f32, bf16
  layouts contiguous, strided
  aligned to 4
  examples small(n = 1, m = 2), large(n = 33, m = 64, eps = 0)
  stop mx
  round y, eps to dtype
  mx[i]   = max(x[i, j] for j)
  h[i, j] = clamp(x[i, j - 1 else -inf], -1, 1) * alpha + half
  y[i, j] = ((exp(h[i, j] - mx[i]) if mask[i, j] and (causal == 0 or j <= i) else s)
             if not isnan(x[i, j]) else 0)
  z       = -sum(x[i, t[i]] * eps for i if t[i] != -100 and k[i] >= 0) / count(t[i] != -100 for i)
  best[i] = argmin(x[i, j] for j)
  flag[i] = any(x[i, j] > 0 for j) or all(mask[i, j] for j in 0 .. m // 2)
  profile cpu form plain
  h[i, j] = x[i, j]
  round h to f16
)";

TEST(ContractLanguage, EveryClauseParses) {
  const Contract contract = one(kEverything);
  const lang::Program& p = contract.program();
  EXPECT_EQ(p.summary, "a summary");
  EXPECT_EQ(contract.source().substr(0, 8), "contract");
  EXPECT_EQ(contract.alignment(), 4u);
  EXPECT_EQ(contract.dtypes(), (std::vector<DType>{DType::f32, DType::bf16}));
  EXPECT_EQ(contract.accumulator(DType::bf16), DType::f32);
  EXPECT_TRUE(contract.allows_nondeterminism());
  EXPECT_TRUE(contract.has_reduction());
  EXPECT_TRUE(contract.has_sum());
  EXPECT_TRUE(contract.is_argument_search());
  EXPECT_FALSE(contract.adjoint_of());
  EXPECT_TRUE(p.allows_in_place && p.allows_ties && p.tensor_cores);
  ASSERT_EQ(p.allowances.size(), 2u);
  EXPECT_TRUE(p.allowances[0].classes.nan && p.allowances[0].classes.neg_inf &&
              !p.allowances[0].classes.pos_inf);
  EXPECT_TRUE(p.allowances[1].classes.zero_sign);
  EXPECT_TRUE(p.accuracies[1].cpu && !p.accuracies[0].cpu && p.forms[0].cpu);
  EXPECT_EQ(p.examples.size(), 2u);
  EXPECT_EQ(p.plans.size(), 2u);

  const Signature& s = contract.signature();
  ASSERT_EQ(s.attributes.size(), 4u);
  EXPECT_FALSE(s.attributes[0].fallback);
  EXPECT_EQ(s.attributes[1].fallback, 1e-5);
  EXPECT_TRUE(s.attributes[2].integral && !s.attributes[0].integral && !s.attributes[1].integral);
  EXPECT_EQ(s.attributes[3].fallback, 0.5);
  EXPECT_EQ(s.inputs[1].rank, 0u);
  EXPECT_EQ(s.inputs[2].type.kind, ElementType::Kind::index);
  EXPECT_EQ(s.inputs[3].type.fixed, DType::boolean);

  const std::string printed = lang::to_string(p);
  EXPECT_EQ(lang::to_string(one(printed).program()), printed);
}

// A comparison with a constant says nothing of an attribute; one with a place makes it an integer.
TEST(ContractLanguage, AttributesAreIntegersWhereTheyStandAmongThem) {
  const Contract contract =
      one(R"(contract integers(n; delta = 1, low = -1, step = 2, ddof = 1, rest = 0, first = 0, on = true)
  input  x[n] : float
  output y[n] : float
  where  delta > 0, low <= 0, rest % 1 == 0
  y[i] = (x[i] if x[i] > low and delta != 2 else delta) / (n - ddof) + (rest if on == 1 and i >= first else x[i // step])
)");
  const std::vector<Attribute>& a = contract.signature().attributes;
  EXPECT_FALSE(a[0].integral || a[1].integral);
  for (std::size_t i = 2; i < a.size(); ++i) EXPECT_TRUE(a[i].integral) << a[i].name;
  EXPECT_TRUE(a[6].is_switch && !a[5].is_switch);
  EXPECT_TRUE(admits(contract, {DType::f32, {3}, {0.25, -0.5, 2, 1, 0, 0, 1}}));
  EXPECT_FALSE(admits(contract, {DType::f32, {3}, {1, -1, 2, 1, 0.5, 0, 1}}));
  EXPECT_FALSE(admits(contract, {DType::f32, {3}, {1, -1, 2, 1, 0, 0, 2}}));
  // The contracts whose domains speak of their attributes.
  for (const char* name : {"huber_loss", "smooth_l1_loss", "hardtanh", "softplus", "repetition_penalty"})
    for (const Attribute& attribute : load_contract(name)->signature().attributes)
      EXPECT_FALSE(attribute.integral) << name << " " << attribute.name;
  EXPECT_TRUE(load_contract("var")->signature().attributes[0].integral);
  EXPECT_TRUE(load_contract("gdn_forward")->signature().attributes[1].is_switch);
}

TEST(ContractLanguage, SegmentsAndLimitedValues) {
  const Contract contract = one(R"(contract segmented(n, t; hard = 0)
  input  x[t] : float in [0, 1], d[t, 4] : float in ball(1 if hard == 0 else inf)
  input  g[t] : f32 in [-inf, 0], cu[n + 1] : offsets(t)
  output y[t] : like x
  where  n >= 1
  of[i]    = count(cu[m] <= i for m in 1 .. n + 1)
  begin[i] = cu[of[i]]
  S[i] = x[i] + exp(g[i]) * (0 if i == begin[i] else S[i-1])
  B[i] = x[i] + (0 if i + 1 >= cu[min(of[i] + 1, n)] else B[i+1])
  y[i] = S[i] + B[i] + sum(d[j, 0] for j in begin[i] .. i + 1) + of[i] if i < cu[n] else 0
)");
  const lang::Program& p = contract.program();
  const Shapes shapes = *shapes_of(contract, {DType::f32, {2, 5}, {0}});
  EXPECT_TRUE(shapes.inputs[3].is_offsets);
  EXPECT_EQ(shapes.inputs[3].bound, 5);
  EXPECT_EQ(shapes.inputs[3].dtype, DType::i32);
  EXPECT_TRUE(shapes.inputs[0].range.is_interval() && !shapes.inputs[0].range.is_ball());
  EXPECT_EQ(shapes.inputs[0].range.high, 1);
  EXPECT_EQ(shapes.inputs[1].range.ball, 1);
  EXPECT_EQ(shapes.inputs[2].range.high, 0);
  EXPECT_FALSE(shapes_of(contract, {DType::f32, {2, 5}, {1}})->inputs[1].range.is_ball());
  const auto is_integer = [&](std::string_view name) {
    for (const lang::Definition& d : p.definitions)
      if (d.name == name) return d.integer >= 0;
    return false;
  };
  EXPECT_TRUE(is_integer("of") && is_integer("begin"));
  EXPECT_FALSE(is_integer("S") || is_integer("y"));
  const std::string printed = lang::to_string(p);
  EXPECT_EQ(lang::to_string(one(printed).program()), printed);
}

TEST(ContractLanguage, Precedence) {
  const auto printed = [](std::string_view expr) {
    lang::Program program;
    const auto ids = lang::parse_conditions(program, expr, "e");
    return ids ? lang::to_string(program, ids->front()) : ids.error().message;
  };
  EXPECT_EQ(printed("-x^2 * 3"), "-x^2 * 3");
  EXPECT_EQ(printed("(-x)^2"), "(-x)^2");
  EXPECT_EQ(printed("a - (b - c)"), "a - (b - c)");
  EXPECT_EQ(printed("(a - b) - c"), "a - b - c");
  EXPECT_EQ(printed("a / (b * c) % 2"), "a/(b * c) % 2");
  EXPECT_EQ(printed("not (a or b) and c < d + 1"), "not (a or b) and c < d + 1");
  EXPECT_EQ(printed("x if a else y if b else z"), "x if a else y if b else z");
  EXPECT_EQ(printed("(x if a else y) + 1"), "(x if a else y) + 1");
}

TEST(ContractLanguage, ShapesFollowFromTheInstance) {
  const Contract pool = one(R"(contract pool(n; kernel, stride = 1, padding = 0)
  input  x[n] : float
  output y[(n + 2*padding - kernel) // stride + 1] : like x
  where  kernel >= 1 and stride >= 1
  y[i] = max(x[i*stride - padding + r else -inf] for r < kernel)
)");
  const auto shape = [&](std::int64_t n, double kernel, double stride, double padding) -> std::string {
    const auto shapes = shapes_of(pool, {DType::f16, {n}, {kernel, stride, padding}});
    return shapes ? std::to_string(shapes->outputs[0].shape[0]) : shapes.error().message;
  };
  EXPECT_EQ(shape(10, 3, 2, 1), "5");
  EXPECT_EQ(shape(0, 3, 1, 0),
            "n=0 kernel=3 stride=1 padding=0 is not in the domain of 'pool': "
            "(n + 2 * padding - kernel) // stride + 1 = -2 of 'y' is negative");
  EXPECT_EQ(shape(4, 3, 0, 0),
            "n=4 kernel=3 stride=0 padding=0 is not in the domain of 'pool': 'where kernel >= 1 and stride "
            ">= 1' does not hold");
  EXPECT_EQ(shape(4, 1.5, 1, 0),
            "n=4 kernel=1.5 stride=1 padding=0 is not in the domain of 'pool': kernel must be an integer");
  EXPECT_EQ(shape(-1, 1, 1, 0),
            "n=-1 kernel=1 stride=1 padding=0 is not in the domain of 'pool': n is negative");
}

TEST(ContractLanguage, IndexOutputsAndInputs) {
  const auto argmax = shapes_of(*load_contract("argmax"), {DType::f32, {2, 5}, {}});
  ASSERT_TRUE(argmax);
  EXPECT_TRUE(argmax->outputs[0].is_index);
  EXPECT_EQ(argmax->outputs[0].bound, 5);
  EXPECT_EQ(argmax->outputs[0].dtype, DType::i64);
  const auto loss = shapes_of(*load_contract("cross_entropy"), {DType::bf16, {3, 7}, {-100}});
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->inputs[1].ignore, -100);
  EXPECT_EQ(loss->inputs[1].bound, 7);
  EXPECT_TRUE(loss->outputs[0].shape.empty());
}

TEST(ContractLanguage, DomainsAndNarrowedDomains) {
  const Contract softmax = *load_contract("softmax");
  EXPECT_TRUE(admits(softmax, {DType::f32, {0, 1}, {}}));
  EXPECT_FALSE(admits(softmax, {DType::f32, {1, 0}, {}}));
  EXPECT_FALSE(admits(softmax, {DType::f32, {1}, {}}));
  const Where where = *Where::parse(softmax, "cols % 4 == 0, cols <= 4096");
  EXPECT_TRUE(where.holds({DType::f32, {3, 64}, {}}));
  EXPECT_FALSE(where.holds({DType::f32, {3, 65}, {}}));
  EXPECT_FALSE(where.holds({DType::f32, {3, 8192}, {}}));
  EXPECT_EQ(where.text(), "cols % 4 == 0, cols <= 4096");
  EXPECT_TRUE(Where().holds({DType::f32, {3, 65}, {}}));
  EXPECT_FALSE(Where::parse(softmax, "cols // rows == 1")->holds({DType::f32, {0, 65}, {}}));
}

TEST(ContractLanguage, BackwardContractsNameTheirForward) {
  EXPECT_EQ(load_contract("softmax_backward")->adjoint_of(), "softmax");
  EXPECT_EQ(load_contract("cumsum")->accumulator(DType::f16), DType::f16);
  EXPECT_EQ(load_contract("matmul")->accumulator(DType::f16), DType::f32);
  EXPECT_EQ(load_contract("matmul")->accumulator(DType::f64), DType::f64);
  EXPECT_FALSE(load_contract("relu")->has_reduction());
  EXPECT_FALSE(load_contract("max")->has_reduction());
  EXPECT_TRUE(load_contract("layer_norm")->has_reduction());
  EXPECT_FALSE(load_contract("layer_norm")->has_sum());
  EXPECT_EQ(load_contract("relu")->alignment(), 16u);
}

TEST(ContractLanguage, AllowancesOfTheCommandLine) {
  const auto allowances = parse_allowances("tf32, zero-sign");
  ASSERT_TRUE(allowances);
  EXPECT_TRUE(allowances->tf32 && allowances->zero_sign && !allowances->fast_math);
  EXPECT_EQ(names(*allowances), (std::vector<std::string>{"tf32", "zero-sign"}));
  EXPECT_FALSE(parse_allowances("tf3"));
  EXPECT_TRUE(parse_allowances(""));
}

}  // namespace
}  // namespace assay
