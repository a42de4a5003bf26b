// kernels/gdn on the CPU executor against the recurrence in double: values, resets, packed sequences, NaN,
// and what is refused.

#include <gtest/gtest.h>

#include "kernels/gdn/gdn.h"
#include "kernels/kernel.h"
#include "tests/kernels/gdn_problem.h"
#include "tests/kernels/support.h"

namespace assay {
namespace {

using namespace testing_support;
using gdn_reference::Erase;
using gdn_reference::Gate;
using Reference = gdn_reference::Problem;
using Status = RunResult::Status;

TensorSignature fixed(std::string name, std::size_t rank, DType dtype = DType::f32) {
  return {std::move(name), rank, {ElementType::Kind::fixed, dtype}};
}

// The signature of GDN's or KDA's backward.
Signature signature(const std::string& member, bool by_channel) {
  return {member + "_backward",
          {"n", "t", "h", "r", "kd", "vd"},
          {{"scale", {}}, {"l2norm", 0., true}},
          {floats("q", 3), floats("k", 3), floats("v", 3), fixed("g", by_channel ? 3 : 2), fixed("beta", 2),
           fixed("s0", 4), fixed("cu", 1, DType::i32), floats("d_o", 3), fixed("d_st", 4)},
          {floats("dq", 3), floats("dk", 3), floats("dv", 3), fixed("dg", by_channel ? 3 : 2),
           fixed("dbeta", 2), fixed("ds0", 4)}};
}

Tensor tensor(Dims shape, const std::vector<float>& values) {
  Tensor t(DType::f32, std::move(shape));
  for (std::int64_t i = 0; i < t.size(); ++i) t.set_bits(i, encode(DType::f32, values[i]));
  return t;
}

// One entry in f32: what is compiled in seconds.
std::string entry(const std::string& name, const std::string& type) {
  return fmt::format(R"(#include "{}/kernels/gdn/run.cuh"
extern "C" int {}(const float* q, const float* k, const float* v, const float* g, const float* beta,
    const float* s0, const int* cu, const float* d_o, const float* d_st, float* dq, float* dk, float* dv,
    float* dg, float* dbeta, float* ds0, int64_t n, int64_t t, int64_t h, int64_t r, int64_t kd, int64_t vd,
    double scale, int l2norm) {{
  return assay::gdn::backward<assay::gdn::{}, float>(
      {{n, t, h, r, kd, vd, scale, l2norm}}, {{q, k, v, g, beta, nullptr, nullptr, s0, cu}}, {{d_o, d_st}},
      {{dq, dk, dv, dg, dbeta, nullptr, nullptr, ds0}});
}}
)",
                     ASSAY_SOURCE_DIR, name, type);
}

class Backward {
 public:
  Backward(const std::string& member, const std::string& type, bool by_channel)
      : by_channel_(by_channel),
        kernel_(load(entry(member + "_backward", type), signature(member, by_channel)).kernel),
        fast_(start(kernel_, Build::fast)),
        checked_(start(kernel_, Build::checked)) {}

  RunResult run(const Reference& p, Build build = Build::fast, std::uint32_t schedule = 0) {
    const std::int64_t hv = p.heads();
    const Dims keys = {p.t, p.h, p.kd}, values = {p.t, hv, p.vd}, strengths = {p.t, hv};
    const Dims gates = by_channel_ ? Dims{p.t, hv, p.kd} : strengths, states = {p.n, hv, p.kd, p.vd};
    Tensor cu(DType::i32, {p.n + 1});
    for (std::int64_t i = 0; i <= p.n; ++i) cu.set_bits(i, encode_integer(DType::i32, p.cu[i]));
    const std::vector<Tensor> inputs = {tensor(keys, p.q),
                                        tensor(keys, p.k),
                                        tensor(values, p.v),
                                        tensor(gates, p.g),
                                        tensor(strengths, p.beta),
                                        tensor(states, p.s0),
                                        cu,
                                        tensor(values, p.d_o),
                                        tensor(states, p.d_st)};
    std::vector<TensorSpec> outputs;
    for (const Dims& shape : {keys, keys, values, gates, strengths, states})
      outputs.push_back({DType::f32, shape, false, 0, {}});
    Launch launch{
        {DType::f32, {p.n, p.t, p.h, p.r, p.kd, p.vd}, {p.scale, p.l2norm ? 1. : 0.}}, inputs, outputs, {}};
    launch.schedule = schedule;
    launch.deadline = std::chrono::seconds(60);
    auto& worker = build == Build::fast ? fast_ : checked_;
    if (!worker) {
      ADD_FAILURE() << worker.error().message;
      return {};
    }
    return (*worker)->run(launch);
  }

 private:
  bool by_channel_;
  Kernel kernel_;
  Expected<std::unique_ptr<Worker>> fast_, checked_;
};

Backward& gdn() {
  static Backward backward("gdn", "Gdn", false);
  return backward;
}
Backward& kda() {
  static Backward backward("kda", "Kda", true);
  return backward;
}

// Output by output, the largest error over the largest value; NaN exactly where the recurrence has it.
void expect_right(const Reference& p, const RunResult& result) {
  ASSERT_EQ(result.status, Status::ok) << result.detail << " " << result.refusal;
  EXPECT_TRUE(result.diagnostics.empty()) << result.diagnostics[0].text;
  EXPECT_EQ(result.overrun, "");
  EXPECT_TRUE(result.changed_inputs.empty());
  const gdn_reference::Results truth = gdn_reference::run(p);
  const char* names[] = {"dq", "dk", "dv", "dg", "dbeta", "ds0"};
  const std::vector<double>* expected[] = {&truth.dq, &truth.dk,    &truth.dv,
                                           &truth.dg, &truth.dbeta, &truth.ds0};
  for (int i = 0; i < 6; ++i) {
    std::vector<float> got;
    for (std::int64_t e = 0; e < result.outputs[i].size(); ++e)
      got.push_back(static_cast<float>(result.outputs[i].value(e)));
    EXPECT_LE(gdn_reference::distance(*expected[i], got), 2e-5) << names[i] << ", t = " << p.t;
  }
}

Reference packed(Gate gate, std::vector<std::int64_t> lengths, std::int64_t tail,
                 gdn_reference::Options options, unsigned seed = 1, bool l2norm = true) {
  return gdn_reference::make(gate, Erase::key, std::move(lengths), tail, 2, 2, 5, 7, l2norm, options, seed);
}

TEST(Gdn, gradients_at_the_edges_of_chunks) {
  for (const std::int64_t t : {0, 1, 2, 15, 17, 63, 64, 65, 127, 128, 130, 200}) {
    const Reference p = packed(Gate::scalar, {t}, 0, {0.5}, static_cast<unsigned>(t), false);
    expect_right(p, gdn().run(p));
  }
}

TEST(Gdn, gradients_of_gates_from_none_to_resets) {
  for (const double strength : {0., 0.05, 0.7, 5., 21.})
    for (const bool resets : {false, true}) {
      const Reference p = packed(Gate::scalar, {140}, 0, {strength, resets, true});
      expect_right(p, gdn().run(p));
    }
}

TEST(Gdn, packed_sequences_some_empty_and_a_tail) {
  const Reference p = packed(Gate::scalar, {0, 5, 0, 64, 65, 0, 1, 0}, 9, {0.1, true, true});
  expect_right(p, gdn().run(p, Build::checked));
  for (const auto& lengths : std::vector<std::vector<std::int64_t>>{{}, {0, 0}}) {
    const Reference empty = packed(Gate::scalar, lengths, 4, {});
    expect_right(empty, gdn().run(empty, Build::checked));
  }
}

TEST(Gdn, channel_gates) {
  for (const double strength : {0.05, 5., 21.}) {
    const Reference p = packed(Gate::channel, {3, 0, 70}, 2, {strength, true, true});
    expect_right(p, kda().run(p));
  }
  const Reference p = packed(Gate::channel, {66}, 0, {0.5});
  expect_right(p, kda().run(p, Build::checked));
}

TEST(Gdn, the_same_bits_under_every_schedule) {
  const Reference p = packed(Gate::scalar, {70, 20}, 0, {0.3, true, true});
  const RunResult first = gdn().run(p);
  ASSERT_EQ(first.status, Status::ok);
  for (const std::uint32_t schedule : {1U, 2U, 3U}) {
    const RunResult again = gdn().run(p, Build::fast, schedule);
    ASSERT_EQ(again.status, Status::ok);
    for (std::size_t i = 0; i < first.outputs.size(); ++i) EXPECT_EQ(first.outputs[i], again.outputs[i]);
  }
}

// A NaN in the middle of any input reaches what the recurrence takes it to, and nothing else.
TEST(Gdn, a_nan_goes_where_the_recurrence_takes_it) {
  using Field = std::vector<float> Reference::*;
  for (const Gate gate : {Gate::scalar, Gate::channel}) {
    const Reference clean = packed(gate, {10, 80, 3}, 2, {0.3}, 5, false);
    for (const Field field : {&Reference::q, &Reference::k, &Reference::v, &Reference::g, &Reference::beta,
                              &Reference::s0, &Reference::d_o, &Reference::d_st}) {
      Reference p = clean;
      (p.*field)[(p.*field).size() / 2 + 1] = NAN;
      expect_right(p, (gate == Gate::scalar ? gdn() : kda()).run(p));
    }
  }
}

TEST(Gdn, what_does_not_fit_is_refused) {
  const auto code = [](Reference p) {
    const RunResult result = gdn().run(p);
    return result.status == Status::refused ? result.refusal : -1;
  };
  const Reference right = packed(Gate::scalar, {4, 4}, 1, {});
  Reference p = right;
  p.cu = {0, 5, 4};
  EXPECT_EQ(code(p), ASSAY_GDN_BAD_SEQUENCES);
  p.cu = {1, 4, 8};
  EXPECT_EQ(code(p), ASSAY_GDN_BAD_SEQUENCES);
  p.cu = {0, 4, 10};
  EXPECT_EQ(code(p), ASSAY_GDN_BAD_SEQUENCES);
  p = gdn_reference::make(Gate::scalar, Erase::key, {2}, 0, 1, 1, 12225, 1, false, {}, 1);
  EXPECT_EQ(code(p), ASSAY_GDN_BAD_DIMS);
}

}  // namespace
}  // namespace assay
