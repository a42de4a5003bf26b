// The native oracle of the gated-linear-recurrence family is the contracts' own: the same truth, element by
// element, wherever the contract language can say it in time.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "oracle/gdn/budget.h"
#include "oracle/gdn/draw.h"
#include "oracle/gdn/laws.h"
#include "oracle/gdn/native.h"
#include "oracle/gdn/recurrence.h"
#include "oracle/judge.h"

namespace assay::gdn {
namespace {

struct Asked {
  Contract contract;
  Instance instance;
  std::vector<Tensor> inputs;
};

Asked ask(const Problem& p, const std::string& name) {
  Contract contract = *load_contract(name);
  const Size& s = p.size;
  Asked asked{contract, {p.dtype, {s.n, s.t, s.h, s.r, s.kd, s.vd}, {p.scale, p.l2norm ? 1.0 : 0.0}}, {}};
  for (const TensorSignature& input : contract.signature().inputs)
    asked.inputs.push_back(*p.find(input.name));
  return asked;
}

class GdnContracts : public testing::TestWithParam<std::string> {};

TEST_P(GdnContracts, TruthIsTheContracts) {
  const std::string name = GetParam();
  const bool backward = name.ends_with("_backward");
  const Member& member = *find_member(name.substr(0, name.rfind('_')));
  for (int i = 0; i < 2; ++i) {
    const Problem p = make_problem(member, {3, 7, 1, 2, 3, 2}, {0, 4, 4, 6}, DType::f32,
                                   {.gates = i ? Gates::resets : Gates::mid, .l2norm = i == 1}, backward, 2);
    const Asked a = ask(p, name);
    ASSERT_TRUE(admits(a.contract, a.instance)) << name;
    Judge judge(a.contract, a.instance, a.inputs);
    const Results t = truth(p);
    for (std::size_t k = 0; k < a.contract.signature().outputs.size(); ++k) {
      const std::string& output = a.contract.signature().outputs[k].name;
      const std::vector<double>& values = *t.find(output);
      const DType dtype = shapes_of(a.contract, a.instance)->outputs[k].dtype;
      for (std::size_t e = 0; e < values.size(); ++e) {
        const ElementReport r = judge.element(k, static_cast<std::int64_t>(e), encode(dtype, values[e]));
        EXPECT_NEAR(r.truth, values[e], 1e-12 * std::max(1.0, std::fabs(values[e])))
            << name << ' ' << output << ' ' << e;
        EXPECT_NE(r.ruling, Ruling::refused) << name << ' ' << output << ' ' << e;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Family, GdnContracts,
                         testing::Values("gdn_forward", "gdn_backward", "deltanet_forward",
                                         "deltanet_backward", "gdn2_forward", "gdn2_backward", "kda_forward",
                                         "kda_backward", "gla_forward", "gla_backward", "ssd_forward",
                                         "ssd_backward", "linear_attention_forward",
                                         "linear_attention_backward"),
                         [](const auto& info) { return info.param; });

TEST(GdnNative, PrefersLargeInstancesOfTheLibrarysContractAlone) {
  const Contract contract = *load_contract("gdn_backward");
  const Instance small{DType::f32, {1, 7, 1, 1, 8, 4}, {1, 0}},
      large{DType::f32, {1, 512, 2, 1, 64, 32}, {1, 0}};
  EXPECT_EQ(native_oracle(contract, small), nullptr);
  EXPECT_NE(native_oracle(contract, large), nullptr);
  const auto other = parse_contracts(
      "contract gdn_backward(n, t, h, r, kd, vd)\n  input x[n, t, h, r, kd, vd] : float\n"
      "  output y[n, t, h, r, kd, vd] : like x\n  y[a, b, c, d, e, f] = x[a, b, c, d, e, f] * 2\n",
      "other.contract");
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ(native_oracle(other->front(), large), nullptr);
}

TEST(GdnNative, TheJudgeAsksForLargeCases) {
  const Problem p = make_problem(*find_member("gdn"), {1, 192, 1, 1, 32, 24}, {}, DType::bf16,
                                 {.gates = Gates::mid}, true, 2);
  const Asked a = ask(p, "gdn_backward");
  Answer answer = answer_of(p, simulated(p, Leaf::scalar));
  Judge judge(a.contract, a.instance, a.inputs);
  for (std::size_t k = 0; k < answer.size(); ++k) {
    EXPECT_EQ(judge.all(k, answer[k]).refused, 0) << k;
    EXPECT_EQ(judge.suspicion(k, answer[k]), std::nullopt) << k;
  }
  Tensor& dv = answer[2];
  std::int64_t largest = 0;
  for (std::int64_t i = 0; i < dv.size(); ++i)
    if (std::fabs(dv.value(i)) > std::fabs(dv.value(largest))) largest = i;
  const double right = dv.value(largest);
  dv.set_bits(largest, encode(DType::bf16, 1.2 * right));
  EXPECT_EQ(judge.all(2, dv).refused, 1);
  dv.set_bits(largest, encode(DType::bf16, 1.03 * right));
  EXPECT_TRUE(judge.suspicion(2, dv).has_value());
}

TEST(GdnNative, RulesByClassAndBudget) {
  Problem p = make_problem(*find_member("gdn"), {2, 80, 1, 1, 6, 5}, {0, 70, 80}, DType::f32,
                           {.gates = Gates::mid}, true, 2);
  p.v.set_bits(66 * 5 + 2, encode(DType::f32, NAN));  // token 66: the second chunk of sequence 0
  const Asked a = ask(p, "gdn_backward");
  const std::vector<NativeOutput> outputs =
      gdn::native_oracle("gdn_backward")->evaluate(a.contract, a.instance, a.inputs);
  const auto& signature = a.contract.signature().outputs;
  const auto output = [&](std::string_view name) -> const NativeOutput& {
    for (std::size_t k = 0; k < signature.size(); ++k)
      if (signature[k].name == name) return outputs[k];
    return outputs[0];
  };
  const std::uint64_t nan = encode(DType::f32, NAN), infinity = encode(DType::f32, INFINITY);
  const auto ruling = [&](std::string_view name, std::int64_t i, std::uint64_t bits) {
    return rule(output(name), i, DType::f32, bits);
  };
  // dq of token 66 reads the state that the NaN is in; dv does not read v; the other sequence is untouched.
  EXPECT_EQ(ruling("dq", 66 * 6, nan).ruling, Ruling::accepted);
  EXPECT_EQ(ruling("dq", 66 * 6, encode(DType::f32, 1)).reason, Reason::nan);
  EXPECT_EQ(ruling("dv", 66 * 5, nan).reason, Reason::nan);
  EXPECT_EQ(ruling("dq", 72 * 6, nan).reason, Reason::nan);
  // The NaN may spread over its chunk, where the recurrence has numbers before it; not to the chunk before.
  EXPECT_EQ(ruling("dq", 65 * 6, nan).ruling, Ruling::accepted);
  EXPECT_EQ(ruling("dq", 3 * 6, nan).reason, Reason::nan);
  const NativeOutput& dv = output("dv");
  for (std::size_t i = 0; i < dv.truth.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    EXPECT_EQ(ruling("dv", at, encode(DType::f32, dv.truth[i])).ruling, Ruling::accepted);
    EXPECT_EQ(ruling("dv", at, encode(DType::f32, dv.truth[i] + 3 * dv.budget[i] + 1e-40)).reason,
              Reason::value);
    EXPECT_EQ(ruling("dv", at, infinity).reason, Reason::infinity);
    EXPECT_LT(dv.budget[i], 1e-3);
  }
}

}  // namespace
}  // namespace assay::gdn
