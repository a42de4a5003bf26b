// Each gate refuses a kernel with the fault that the gate is for, and accepts a right one.

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "gates/execute.h"
#include "gates/sparse.h"
#include "properties/generate.h"
#include "tests/gates/fake.h"

namespace assay {
namespace {

using fake::FakeRunner;
using fake::Kernel;
using fake::MakeKernel;
using fake::stateless;
using fake::subject;

struct Outcomes {
  int passed = 0, findings = 0, not_applicable = 0, undecidable = 0;
  Verdict first;  // finding
  Case at;
};

Outcomes outcomes(std::string_view gate_id, const Subject& subject, const MakeKernel& kernel,
                  int cases = 200) {
  const Gate& gate = *find_gate(gate_id);
  FakeRunner runner(kernel);
  Outcomes result;
  EXPECT_EQ(gate.not_applicable(subject), std::nullopt);
  for (int i = 0; i < cases; ++i) {
    const Case c = draw_case(subject, gate, 7, static_cast<std::uint64_t>(i));
    EXPECT_TRUE(in_domain(c, subject));
    const Verdict verdict = gate.judge(c, subject, runner);
    if (is_finding(verdict.outcome) && result.findings++ == 0) {
      result.first = verdict;
      result.at = c;
    }
    result.passed += verdict.outcome == Outcome::pass;
    result.not_applicable += verdict.outcome == Outcome::not_applicable;
    result.undecidable += verdict.outcome == Outcome::undecidable;
  }
  return result;
}

void expect_accepts(std::string_view gate, const Subject& subject, const Kernel& kernel, int cases = 200) {
  SCOPED_TRACE(std::string(gate) + " accepts " + subject.contract.signature().name);
  const Outcomes o = outcomes(gate, subject, stateless(kernel), cases);
  EXPECT_EQ(o.findings, 0) << describe(o.first.evidence) << "\n"
                           << describe(o.at, subject.contract.signature());
  EXPECT_GT(o.passed, 0);
}

Outcomes expect_refuses(std::string_view gate, const Subject& subject, const MakeKernel& kernel,
                        std::string_view kind, int cases = 200) {
  SCOPED_TRACE(std::string(gate) + " refuses " + subject.contract.signature().name);
  const Outcomes o = outcomes(gate, subject, kernel, cases);
  EXPECT_GT(o.findings, 0);
  EXPECT_EQ(o.first.evidence.kind, kind) << describe(o.first.evidence);
  return o;
}

Kernel relu_but(std::function<void(const Launch&, RunResult&)> fault) {
  return [fault](const Launch& launch, RunResult& result) {
    fake::relu(launch, result);
    fault(launch, result);
  };
}

TEST(Registry, HoldsTheTwelveGatesInOrder) {
  std::vector<std::string_view> ids;
  for (const Gate* gate : all_gates()) {
    ids.push_back(gate->id);
    EXPECT_EQ(find_gate(gate->id), gate);
    EXPECT_FALSE(gate->law.empty());
    EXPECT_GT(gate->weight, 0);
  }
  EXPECT_EQ(ids, (std::vector<std::string_view>{"CMP-01", "CMP-02", "CMP-03", "ORD-01", "ORD-02", "ORD-03",
                                                "PRC-01", "PRC-02", "EXC-01", "EXC-02", "RES-01", "RES-02"}));
  EXPECT_EQ(find_gate("CMP-99"), nullptr);
}

TEST(Gates, AcceptRightKernels) {
  struct Right {
    const char* contract;
    Kernel kernel;
  };
  for (const Right& right :
       {Right{"relu", fake::relu}, Right{"add", fake::add}, Right{"sum", fake::sum}, Right{"max", fake::max},
        Right{"argmax", fake::argmax}, Right{"softmax", fake::softmax}, Right{"matmul", fake::matmul},
        Right{"softmax_backward", fake::softmax_backward(false)}}) {
    const Subject s = subject(right.contract, {DType::f32, DType::f16});
    for (const Gate* gate : all_gates())
      if (!gate->not_applicable(s)) expect_accepts(gate->id, s, right.kernel, 60);
  }
}

TEST(Cmp01, RefusesAWrongScale) {
  const auto o = expect_refuses("CMP-01", subject("softmax"), stateless(fake::softmax_times(1.001)), "value");
  EXPECT_EQ(o.first.outcome, Outcome::beyond_budget);
  EXPECT_GT(*o.first.evidence.excess, 1);
  EXPECT_GT(o.first.evidence.bad_elements, 0);
  EXPECT_EQ(o.first.evidence.index.size(), 2u);
}

TEST(Cmp01, RefusesZeros) {
  expect_refuses("CMP-01", subject("softmax"), stateless([](const Launch&, RunResult& result) {
                   for (std::int64_t i = 0; i < result.outputs[0].size(); ++i)
                     fake::store(result.outputs[0], i, 0);
                 }),
                 "value");
}

TEST(Cmp02, AloneSeesAKernelThatSkipsZeroGradients) {
  const Subject s = subject("softmax_backward");
  expect_accepts("CMP-01", s, fake::softmax_backward(true));
  expect_accepts("CMP-03", s, fake::softmax_backward(true));
  expect_refuses("CMP-02", s, stateless(fake::softmax_backward(true)), "adjoint", 60);
}

// A file of one's own: the forward, and below it a backward by hand.
Subject own_backward(std::string_view gradient) {
  const auto contracts = parse_contracts(fmt::format(R"(contract mine(rows, cols)
  "softmax, by another name"
  input  x[rows, cols] : float
  output y[rows, cols] : like x
  where  cols >= 1
  m[r]    = max(x[r, j] for j)
  e[r, c] = exp(x[r, c] - m[r])
  y[r, c] = e[r, c] / sum(e[r, j] for j)

contract mine_backward(rows, cols)
  "its gradient"
  input  x[rows, cols], dy[rows, cols] : float
  output dx[rows, cols] : like x
  where  cols >= 1
  adjoint of mine
  m[r]     = max(x[r, j] for j)
  e[r, c]  = exp(x[r, c] - m[r])
  y[r, c]  = e[r, c] / sum(e[r, j] for j)
  dx[r, c] = {}
)",
                                                     gradient),
                                         "mine.contract");
  if (!contracts) throw std::runtime_error(contracts.error().message);
  return {contracts->back(), {}, {}, {DType::f32}};
}

TEST(Cmp02, FindsTheForwardInTheSameFile) {
  const Subject s = own_backward("y[r, c] * (dy[r, c] - sum(dy[r, j] * y[r, j] for j))");
  EXPECT_EQ(s.contract.forward()->signature().name, "mine");
  const Outcomes right = outcomes("CMP-02", s, stateless(fake::softmax_backward(false)), 20);
  EXPECT_EQ(right.findings, 0);
  EXPECT_GT(right.passed, 10);
  EXPECT_GT(outcomes("CMP-02", s, stateless(fake::softmax_backward(true)), 20).findings, 0);
}

// The kernel keeps its contract, which is wrong.
TEST(Cmp02, BlamesNoKernelForAContractThatIsNoTranspose) {
  const Kernel twice = [](const Launch& launch, RunResult& result) {
    fake::softmax_backward(false)(launch, result);
    for (std::int64_t i = 0; i < result.outputs[0].size(); ++i)
      fake::store(result.outputs[0], i, 2 * result.outputs[0].value(i));
  };
  const Subject s = own_backward("2 * y[r, c] * (dy[r, c] - sum(dy[r, j] * y[r, j] for j))");
  const Outcomes o = outcomes("CMP-02", s, stateless(twice), 20);
  EXPECT_EQ(o.findings, 0);
  EXPECT_GT(o.undecidable, 0);
}

TEST(Cmp02, DoesNotApplyToForwards) {
  EXPECT_NE(find_gate("CMP-02")->not_applicable(subject("softmax")), std::nullopt);
  EXPECT_EQ(find_gate("CMP-02")->not_applicable(subject("softmax_backward")), std::nullopt);
}

TEST(Cmp03, AloneSeesAnUnreadTail) {
  const Kernel tail = relu_but([](const Launch& launch, RunResult& result) {
    for (std::int64_t i = launch.instance.dims[0] / 4 * 4; i < launch.instance.dims[0]; ++i)
      fake::store(result.outputs[0], i, 3);
  });
  expect_accepts("CMP-01", subject("relu"), tail);
  expect_refuses("CMP-03", subject("relu"), stateless(tail), "value");
}

TEST(Cmp03, SeesACrashAtSizeZero) {
  const auto o =
      expect_refuses("CMP-03", subject("relu"), stateless(relu_but([](const Launch& launch, RunResult& r) {
                       if (launch.instance.dims[0] == 0) r.status = RunResult::Status::crashed;
                     })),
                     "crash", 600);
  EXPECT_EQ(o.first.outcome, Outcome::crashed);
  EXPECT_EQ(o.at.instance.dims[0], 0);
}

TEST(Cmp03, FindsTheFormsThatCanBeSampled) {
  EXPECT_EQ(sparse_form(subject("relu").contract), SparseForm::elementwise);
  EXPECT_EQ(sparse_form(subject("add").contract), SparseForm::elementwise);
  EXPECT_EQ(sparse_form(subject("softmax").contract), SparseForm::rows);
  EXPECT_EQ(sparse_form(subject("layer_norm").contract), SparseForm::rows);
  EXPECT_EQ(sparse_form(subject("sum").contract), SparseForm::rows);
  EXPECT_EQ(sparse_form(subject("transpose").contract), SparseForm::none);
  EXPECT_EQ(sparse_form(subject("matmul").contract), SparseForm::none);
  EXPECT_EQ(sparse_form(subject("cross_entropy").contract), SparseForm::none);
}

// A kernel that computes softmax row by row, and takes the index of a row through an int of 32 bits.
SparseResult sparse_softmax(const SparseLaunch& launch, bool overflows) {
  SparseResult result;
  const std::int64_t rows = launch.instance.dims[0], cols = launch.instance.dims[1];
  const Tensor& period = launch.periods[0];
  for (std::int64_t row : {std::int64_t{0}, rows / 2, rows - 1}) {
    std::int64_t from = row * cols;
    if (overflows && from > std::numeric_limits<std::int32_t>::max()) from = 0;
    Tensor x(period.dtype(), {1, cols}), y(period.dtype(), {1, cols});
    for (std::int64_t j = 0; j < cols; ++j) x.set_bits(j, period.bits((from + j) % period.size()));
    const auto values = fake::softmax_row(x, 0, cols);
    SparseResult::Piece piece{0, row * cols, {}};
    for (double value : values) piece.bits.push_back(encode(period.dtype(), value));
    result.pieces.push_back(std::move(piece));
  }
  return result;
}

TEST(Cmp03, SeesAnIndexThatOverflowsPastTwoToThe31) {
  const Subject s = subject("softmax");
  const Gate& gate = *find_gate("CMP-03");
  for (const bool overflows : {false, true}) {
    FakeRunner runner(stateless(fake::softmax));
    runner.sparse = [&](const SparseLaunch& launch) { return sparse_softmax(launch, overflows); };
    int huge = 0, findings = 0;
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const Case c = draw_case(s, gate, 7, i);
      if (count(c.instance.dims) <= (std::int64_t{1} << 31)) continue;
      ++huge;
      findings += is_finding(gate.judge(c, s, runner).outcome);
    }
    EXPECT_GT(huge, 5);
    EXPECT_EQ(findings, overflows ? huge : 0);
  }
}

TEST(Cmp03, ASampledRunThatTakesTooLongSaysNothing) {
  const Subject s = subject("relu");
  FakeRunner runner(stateless(fake::relu));
  runner.sparse = [](const SparseLaunch&) {
    SparseResult result;
    result.status = RunResult::Status::hung;
    return result;
  };
  Case c = draw_case(s, *find_gate("CMP-03"), 1, 0);
  c.instance.dims = {(std::int64_t{1} << 31) + 1};
  EXPECT_EQ(find_gate("CMP-03")->judge(c, s, runner).outcome, Outcome::not_applicable);
}

TEST(Ord01, RefusesARunningMaximumThatForgetsToRescale) {
  expect_refuses("ORD-01", subject("softmax"), stateless([](const Launch& launch, RunResult& result) {
                   const std::int64_t rows = launch.instance.dims[0], cols = launch.instance.dims[1];
                   for (std::int64_t r = 0; r < rows; ++r) {
                     double top = launch.inputs[0].value(r * cols), total = 0;
                     for (std::int64_t j = 0; j < cols; ++j) {
                       top = std::fmax(top, launch.inputs[0].value(r * cols + j));
                       total += std::exp(launch.inputs[0].value(r * cols + j) - top);
                     }
                     for (std::int64_t j = 0; j < cols; ++j)
                       fake::store(result.outputs[0], r * cols + j,
                                   std::exp(launch.inputs[0].value(r * cols + j) - top) / total);
                   }
                 }),
                 "value");
  EXPECT_NE(find_gate("ORD-01")->not_applicable(subject("relu")), std::nullopt);
  EXPECT_EQ(find_gate("PRC-02")->not_applicable(subject("gdn_forward")), std::nullopt);
  EXPECT_NE(find_gate("ORD-03")->not_applicable(subject("gdn_forward")), std::nullopt);
  EXPECT_EQ(find_gate("PRC-02")->not_applicable(subject("cumsum")), std::nullopt);
  EXPECT_EQ(find_gate("ORD-01")->not_applicable(subject("max")), std::nullopt);
}

TEST(Ord02, RefusesAnOrderThatFollowsTheSchedule) {
  const auto o = expect_refuses(
      "ORD-02", subject("sum"), stateless([](const Launch& launch, RunResult& result) {
        for (std::int64_t r = 0; r < launch.instance.dims[0]; ++r)
          fake::store(result.outputs[0], r,
                      fake::row_sum(launch.inputs[0], r, launch.instance.dims[1], launch.schedule == 1));
      }),
      "nondeterminism");
  EXPECT_NE(o.first.evidence.detail.find("descending"), std::string::npos) << o.first.evidence.detail;
}

TEST(Ord02, RefusesAnAnswerFromACounter) {
  expect_refuses(
      "ORD-02", subject("relu"),
      [] {
        auto calls = std::make_shared<int>(0);
        return relu_but(
            [calls](const Launch&, RunResult& result) { fake::store(result.outputs[0], 0, ++*calls); });
      },
      "nondeterminism");
}

TEST(Ord02, RefusesAMemoisedFirstAnswer) {
  const auto o = expect_refuses(
      "ORD-02", subject("relu"),
      [] {
        auto first = std::make_shared<std::vector<Tensor>>();
        return relu_but([first](const Launch&, RunResult& result) {
          if (first->empty() || !((*first)[0].shape() == result.outputs[0].shape())) *first = result.outputs;
          result.outputs = *first;
        });
      },
      "nondeterminism");
  EXPECT_NE(o.first.evidence.detail.find("another input"), std::string::npos) << o.first.evidence.detail;
}

TEST(Ord02, RefusesWhatDependsOnThePoison) {
  expect_refuses("ORD-02", subject("sum"), stateless([](const Launch& launch, RunResult& result) {
                   const Tensor before = result.outputs[0];
                   fake::sum(launch, result);
                   for (std::int64_t r = 0; r < before.size(); ++r)
                     if (before.value(r) == 0)
                       fake::store(result.outputs[0], r, 1 + result.outputs[0].value(r));
                 }),
                 "nondeterminism");
}

TEST(Ord02, DoesNotApplyWhereNondeterminismIsAllowed) {
  Subject s = subject("sum");
  EXPECT_EQ(find_gate("ORD-02")->not_applicable(s), std::nullopt);
  s.allow.nondeterminism = true;
  EXPECT_NE(find_gate("ORD-02")->not_applicable(s), std::nullopt);
}

TEST(Ord03, SeesOneDroppedTermAmongThousands) {
  // The dropped term is less than the budget of the row's other terms: only an exact answer tells.
  const auto o =
      expect_refuses("ORD-03", subject("matmul"), stateless([](const Launch& launch, RunResult& result) {
                       fake::matmul(launch, result);
                       if (launch.instance.dims[2] < 256) return;
                       Tensor& c = result.outputs[0];
                       const double dropped = launch.inputs[0].value(200) *
                                              launch.inputs[1].value(200 * launch.instance.dims[1]);
                       fake::store(c, 0, c.value(0) - dropped);
                     }),
                     "exact");
  EXPECT_EQ(o.first.outcome, Outcome::violated);
  EXPECT_NE(find_gate("ORD-03")->not_applicable(subject("relu")), std::nullopt);
}

TEST(Prc01, RefusesAFaultOfTheOtherDtypeOnly) {
  const Kernel half_wrong = relu_but([](const Launch& launch, RunResult& result) {
    if (launch.instance.dtype == DType::f16) fake::store(result.outputs[0], 0, 3);
  });
  const Subject s = subject("relu", {DType::f32, DType::f16});
  expect_accepts("CMP-01", s, half_wrong);
  const auto o = expect_refuses("PRC-01", s, stateless(half_wrong), "value");
  EXPECT_EQ(o.at.instance.dtype, DType::f16);
  EXPECT_NE(find_gate("PRC-01")->not_applicable(subject("relu")), std::nullopt);
}

TEST(Prc01, ARefusalIsNotApplicable) {
  const auto o =
      outcomes("PRC-01", subject("relu", {DType::f32, DType::f16}),
               stateless([](const Launch&, RunResult& r) { r.status = RunResult::Status::refused; }));
  EXPECT_EQ(o.findings, 0);
  EXPECT_EQ(o.passed, 0);
  EXPECT_GT(o.not_applicable, 0);
}

float to_tf32(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, 4);
  bits = (bits + 0x1000) & ~0x1fffu;
  std::memcpy(&x, &bits, 4);
  return x;
}

// An entry that returns an error code answers nothing; one that cannot be called was not asked.
TEST(EveryGate, ReportsARefusalOfThePrimaryDtype) {
  const Subject s = subject("softmax", {DType::f32, DType::f16});
  for (const Gate* gate : all_gates()) {
    if (gate->not_applicable(s)) continue;
    const MakeKernel refuses = stateless([](const Launch&, RunResult& r) {
      r.status = RunResult::Status::refused;
      r.refusal = 1;
    });
    FakeRunner runner(refuses);
    for (std::uint64_t i = 0; i < 20; ++i) {
      const Case c = draw_case(s, *gate, 7, i);
      const Verdict verdict = gate->judge(c, s, runner);
      const bool primary = c.instance.dtype == DType::f32;
      EXPECT_EQ(verdict.outcome, primary ? Outcome::violated : Outcome::not_applicable) << gate->id;
      if (primary) {
        EXPECT_EQ(verdict.evidence.kind, "refused") << gate->id;
      }
    }
  }
}

TEST(Cmp03, ALaunchThatFailsInASampledRunIsAFinding) {
  const Subject s = subject("softmax");
  FakeRunner runner(stateless(fake::softmax));
  runner.sparse = [](const SparseLaunch&) {
    SparseResult result;
    result.diagnostics = {{"launch error", "65,536 blocks in y", "k.cu:7"}};
    return result;
  };
  Case c = draw_case(s, *find_gate("CMP-03"), 1, 0);
  for (const std::int64_t rows : {std::int64_t{65536}, (std::int64_t{1} << 31) + 1}) {
    c.instance.dims = {rows, 1};
    const Verdict verdict = find_gate("CMP-03")->judge(c, s, runner);
    EXPECT_EQ(verdict.outcome, Outcome::violated);
    EXPECT_EQ(verdict.evidence.kind, "launch error");
  }
}

TEST(Cmp03, DrawsRowsWhereAGridEnds) {
  for (const char* contract : {"softmax", "matmul", "transpose"}) {
    const Subject s = subject(contract);
    int tall = 0;
    for (std::uint64_t i = 0; i < 2000; ++i) {
      const Dims dims = draw_case(s, *find_gate("CMP-03"), 1, i).instance.dims;
      tall += std::any_of(dims.begin(), dims.end(), [](std::int64_t n) { return n >= 65535 && n <= 65537; });
    }
    EXPECT_LT(tall, 60) << contract;
    if (std::string_view(contract) != "transpose") {
      EXPECT_GT(tall, 5) << contract;
    }
  }
}

// A wrong formula is wrong on every contents: no gate of special contents is to blame for it.
TEST(EveryGate, OfSpecialContentsLeavesAWrongFormulaToOthers) {
  expect_refuses("CMP-01", subject("sum"), stateless([](const Launch& launch, RunResult& r) {
                   fake::sum(launch, r);
                   for (std::int64_t i = 0; i < r.outputs[0].size(); ++i) fake::store(r.outputs[0], i, NAN);
                 }),
                 "nan");
  const Kernel infinite = [](const Launch& launch, RunResult& r) {
    fake::sum(launch, r);
    for (std::int64_t i = 0; i < r.outputs[0].size(); ++i) fake::store(r.outputs[0], i, INFINITY);
  };
  for (const char* gate : {"EXC-01", "EXC-02"}) expect_accepts(gate, subject("sum"), infinite);
  const Kernel shifted = [](const Launch& launch, RunResult& r) {
    fake::sum(launch, r);
    for (std::int64_t i = 0; i < r.outputs[0].size(); ++i)
      fake::store(r.outputs[0], i, 1.01 * r.outputs[0].value(i) + 100);
  };
  for (const char* gate : {"ORD-03", "PRC-02", "EXC-02"}) expect_accepts(gate, subject("sum"), shifted);
}

TEST(Prc02, NamesAnAccumulatorInHalf) {
  const auto o = expect_refuses(
      "PRC-02", subject("sum"), stateless([](const Launch& launch, RunResult& result) {
        const std::int64_t rows = launch.instance.dims[0], cols = launch.instance.dims[1];
        for (std::int64_t r = 0; r < rows; ++r) {
          double half = 0;
          for (std::int64_t j = 0; j < cols; ++j)
            half = decode(DType::f16, encode(DType::f16, half + launch.inputs[0].value(r * cols + j)));
          fake::store(result.outputs[0], r, half);
        }
      }),
      "accumulator");
  EXPECT_EQ(o.first.outcome, Outcome::violated);
  EXPECT_NE(o.first.evidence.detail.find("f16"), std::string::npos) << o.first.evidence.detail;
}

TEST(Prc02, NamesOperandsInTf32) {
  const auto o =
      expect_refuses("PRC-02", subject("matmul"), stateless(fake::matmul_of(to_tf32)), "accumulator", 60);
  EXPECT_NE(o.first.evidence.detail.find("TF32"), std::string::npos) << o.first.evidence.detail;
  Subject allowed = subject("matmul");
  allowed.allow.tf32 = true;
  expect_accepts("PRC-02", allowed, fake::matmul_of(to_tf32), 60);
}

// A state that is rounded to bf16 every 64 steps, or at each.
Kernel leak(std::int64_t every) {
  return [every](const Launch& launch, RunResult& result) {
    const std::int64_t steps = launch.instance.dims[0], width = launch.instance.dims[1];
    for (std::int64_t c = 0; c < width; ++c) {
      float state = 0;
      for (std::int64_t i = 0; i < steps; ++i) {
        state = 0.75f * state + static_cast<float>(launch.inputs[0].value(i * width + c));
        fake::store(result.outputs[0], i * width + c, state);
        if (every != 0 && (i + 1) % every == 0)
          state = static_cast<float>(decode(DType::bf16, encode(DType::bf16, state)));
      }
    }
  };
}

TEST(Prc02, SeesAStateThatDriftsOverManySteps) {
  const auto contracts = parse_contracts(
      "contract leak(t, d)\n  input x[t, d] : float\n  output y[t, d] : like x\n  where t >= 1\n"
      "  y[0, c] = x[0, c]\n  y[i, c] = 3/4 * y[i-1, c] + x[i, c]\n",
      "leak.contract");
  ASSERT_TRUE(contracts) << contracts.error().message;
  const Subject s{contracts->front(), {}, {}, {DType::f32}};
  expect_accepts("PRC-02", s, leak(0), 40);
  const auto o = expect_refuses("PRC-02", s, stateless(leak(64)), "accumulator", 40);
  EXPECT_NE(o.first.evidence.detail.find("drifts"), std::string::npos) << o.first.evidence.detail;
  expect_accepts("PRC-02", s, leak(1), 40);  // wrong on few steps, too: another gate's
  expect_refuses("CMP-01", s, stateless(leak(1)), "value", 40);
}

TEST(Cmp01, WeighsWhatItAcceptsOfSums) {
  const Subject s = subject("sum");
  const auto weigh = [&](bool narrow) {
    FakeRunner runner(stateless([narrow](const Launch& launch, RunResult& result) {
      const std::int64_t cols = launch.instance.dims[1];
      for (std::int64_t r = 0; r < launch.instance.dims[0]; ++r) {
        const double sum = fake::row_sum(launch.inputs[0], r, cols, false);
        // An error as large as the worst order's, hidden inside the budget.
        double size = 0;
        for (std::int64_t j = 0; j < cols; ++j) size += std::fabs(launch.inputs[0].value(r * cols + j));
        const double worst = 0.9 * static_cast<double>(cols - 1) * 0x1p-24 * size;
        fake::store(result.outputs[0], r, narrow ? sum + worst : sum);
      }
    }));
    int findings = 0;
    for (std::uint64_t i = 0; i < 100; ++i) {
      const Case c = draw_case(s, *find_gate("CMP-01"), 7, i);
      findings += is_finding(find_gate("CMP-01")->judge(c, s, runner).outcome);
    }
    EXPECT_LT(findings, narrow ? 10 : 1);  // rows of two have one rounding
    return runner.tally;
  };
  const Tally right = weigh(false), hidden = weigh(true);
  EXPECT_EQ(right.suspect, 0);
  EXPECT_GT(right.strain.elements, 200);
  EXPECT_GT(hidden.suspect, 20);
  EXPECT_NE(hidden.suspicion.find("y: errors are"), std::string::npos) << hidden.suspicion;
}

TEST(Prc02, LeavesOtherWrongValuesToTheirGate) {
  expect_accepts("PRC-02", subject("sum"), [](const Launch& launch, RunResult& result) {
    fake::sum(launch, result);
    for (std::int64_t r = 0; r < launch.instance.dims[0]; ++r)
      fake::store(result.outputs[0], r, 1 + result.outputs[0].value(r));
  });
}

TEST(Exc01, RefusesAMaximumThatDropsNan) {
  const Kernel fmax = [](const Launch& launch, RunResult& result) {
    for (std::int64_t i = 0; i < launch.inputs[0].size(); ++i)
      fake::store(result.outputs[0], i, std::fmax(launch.inputs[0].value(i), 0.0));
  };
  expect_accepts("CMP-01", subject("relu"), fmax);
  expect_refuses("EXC-01", subject("relu"), stateless(fmax), "nan");
}

TEST(Exc01, AMissingNanIsCalledSo) {
  const Subject s = subject("relu");
  Realised tensors{*shapes_of(s.contract, {DType::f32, {1}, {}}), {}, {}};
  ElementReport report;
  report.ruling = Ruling::refused;
  report.reason = Reason::infinity;
  report.got = HUGE_VAL;
  report.truth = NAN;
  EXPECT_EQ(refused(s, tensors, 0, 0, report, 1).evidence.kind, "nan");
  report.truth = 1;
  EXPECT_EQ(refused(s, tensors, 0, 0, report, 1).evidence.kind, "infinity");
}

TEST(Exc01, RefusesASentinelForMinusInfinity) {
  const Kernel sentinel = fake::max_from(-1e30);
  expect_accepts("CMP-01", subject("max"), sentinel);
  expect_refuses("EXC-01", subject("max"), stateless(sentinel), "infinity", 1000);
}

TEST(Exc02, RefusesFlushedSubnormals) {
  const Kernel flush = relu_but([](const Launch& launch, RunResult& result) {
    Tensor& y = result.outputs[0];
    for (std::int64_t i = 0; i < y.size(); ++i)
      if (std::fabs(y.value(i)) < format_of(launch.instance.dtype).least_normal()) fake::store(y, i, 0);
  });
  expect_accepts("CMP-01", subject("relu"), flush);
  expect_refuses("EXC-02", subject("relu"), stateless(flush), "subnormal");
  Subject allowed = subject("relu");
  allowed.allow.subnormals = true;
  expect_accepts("EXC-02", allowed, flush);
}

TEST(Exc02, RefusesTheLastOfTies) {
  const Kernel last = [](const Launch& launch, RunResult& result) {
    const std::int64_t rows = launch.instance.dims[0], cols = launch.instance.dims[1];
    for (std::int64_t r = 0; r < rows; ++r) {
      std::int64_t best = 0;
      for (std::int64_t j = 1; j < cols; ++j)
        if (launch.inputs[0].value(r * cols + j) >= launch.inputs[0].value(r * cols + best)) best = j;
      result.outputs[0].set_bits(r, encode_integer(result.outputs[0].dtype(), best));
    }
  };
  for (const char* other : {"CMP-01", "CMP-03", "ORD-01"})
    expect_accepts(other, subject("argmax", {DType::f16}), last);
  expect_refuses("EXC-02", subject("argmax"), stateless(last), "index");
}

TEST(Exc02, RefusesTheWrongZero) {
  const Kernel positive = [](const Launch& launch, RunResult& result) {
    fake::add(launch, result);
    Tensor& y = result.outputs[0];
    for (std::int64_t i = 0; i < y.size(); ++i)
      if (y.value(i) == 0) fake::store(y, i, 0.0);
  };
  const auto o = expect_refuses("EXC-02", subject("add"), stateless(positive), "zero sign");
  EXPECT_EQ(o.first.outcome, Outcome::violated);
}

TEST(Res01, RefusesWhatIsNeverWritten) {
  const Kernel last = [](const Launch& launch, RunResult& result) {
    Tensor& y = result.outputs[0];
    const Tensor before = y;
    fake::relu(launch, result);
    y.set_bits(y.size() - 1, before.bits(y.size() - 1));
  };
  const auto o = expect_refuses("RES-01", subject("relu"), stateless(last), "unwritten");
  EXPECT_EQ(o.first.evidence.index, std::vector<std::int64_t>{o.at.instance.dims[0] - 1});
}

TEST(Res01, RefusesWritesElsewhere) {
  expect_refuses("RES-01", subject("relu"),
                 stateless(relu_but([](const Launch&, RunResult& r) { r.overrun = "past y"; })), "overrun");
  expect_refuses("RES-01", subject("relu"),
                 stateless(relu_but([](const Launch&, RunResult& r) { r.changed_inputs = {"x"}; })),
                 "input changed");
  expect_refuses("RES-01", subject("relu"), stateless(relu_but([](const Launch&, RunResult& r) {
                   r.diagnostics = {{"misaligned", "float4 at 4 modulo 16", "k.cu:3"}};
                 })),
                 "misaligned");
}

TEST(Res01, DrawsEveryLegalAlignment) {
  const Subject s = subject("relu");
  std::vector<int> seen(256);
  for (std::uint64_t i = 0; i < 500; ++i) {
    const Case c = draw_case(s, *find_gate("RES-01"), 1, i);
    for (std::uint32_t offset : realise(c, s).offsets) ++seen.at(offset);
  }
  const std::size_t unit = s.contract.alignment();
  for (std::size_t offset = 0; offset < 256; ++offset)
    EXPECT_EQ(seen[offset] > 0, offset % unit == 0) << offset;
}

TEST(Res02, RefusesALaunchErrorThatTheKernelSwallows) {
  const Kernel too_wide = [](const Launch& launch, RunResult& result) {
    fake::softmax(launch, result);
    if (launch.instance.dims[1] > 1024) result.diagnostics = {{"launch error", "1025 threads", "k.cu:9"}};
  };
  expect_accepts("CMP-01", subject("softmax"), too_wide);
  const auto o = expect_refuses("RES-02", subject("softmax"), stateless(too_wide), "launch error");
  EXPECT_EQ(o.first.evidence.location, "k.cu:9");
}

TEST(EveryGate, ReportsCrashesAndHangs) {
  const Subject s = subject("softmax", {DType::f32, DType::f16});
  for (const Gate* gate : all_gates()) {
    if (gate->not_applicable(s)) continue;
    for (const auto status : {RunResult::Status::crashed, RunResult::Status::hung}) {
      const auto o =
          outcomes(gate->id, s, stateless([status](const Launch&, RunResult& r) { r.status = status; }), 3);
      EXPECT_EQ(o.findings, 3) << gate->id;
      EXPECT_EQ(o.first.outcome, status == RunResult::Status::crashed ? Outcome::crashed : Outcome::hung);
    }
    const auto o = outcomes(gate->id, s, stateless([](const Launch&, RunResult& r) {
                              r.status = RunResult::Status::infrastructure;
                              r.detail = "no worker";
                            }),
                            3);
    EXPECT_EQ(o.undecidable, 3) << gate->id;
  }
}

}  // namespace
}  // namespace assay
