#include "properties/check.h"

#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <thread>

#include "gates/execute.h"
#include "properties/generate.h"
#include "tests/gates/fake.h"

namespace assay {
namespace {

using fake::FakeRunner;
using fake::MakeKernel;
using fake::stateless;
using fake::subject;

RunnerFactory factory(MakeKernel kernel) {
  return [kernel]() -> Expected<std::unique_ptr<Runner>> { return std::make_unique<FakeRunner>(kernel); };
}

const GateReport& report_of(const CheckReport& report, std::string_view id) {
  for (const GateReport& gate : report.gates)
    if (gate.gate->id == id) return gate;
  ADD_FAILURE() << id;
  return report.gates.front();
}

fake::Kernel drops_nan_near_the_end() {
  return [](const Launch& launch, RunResult& result) {
    fake::softmax(launch, result);
    const std::int64_t rows = launch.instance.dims[0], cols = launch.instance.dims[1];
    if (cols <= 20 || cols % 16 != 5) return;
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t j = cols - 3; j < cols; ++j)
        if (std::isnan(launch.inputs[0].value(r * cols + j))) fake::store(result.outputs[0], r * cols, 0);
  };
}

TEST(Check, PassesARightKernel) {
  const CheckReport report = check(subject("softmax", {DType::f32, DType::f16}),
                                   factory(stateless(fake::softmax)), {.cases = 480, .jobs = 2});
  EXPECT_TRUE(report.findings.empty());
  EXPECT_TRUE(report.infrastructure.empty());
  EXPECT_FALSE(report.interrupted);
  EXPECT_EQ(report.gates.size(), 12u);
  std::int64_t judged = 0;
  for (const GateReport& gate : report.gates) {
    judged += gate.cases + gate.not_applicable;
    // softmax is no backward, and its sums of exponentials are seldom exact.
    if (gate.gate->id == "CMP-02")
      EXPECT_EQ(gate.outcome, Outcome::not_applicable);
    else if (gate.gate->id == "ORD-03")
      EXPECT_FALSE(is_finding(gate.outcome));
    else
      EXPECT_EQ(gate.outcome, Outcome::pass) << gate.gate->id << gate.reason;
    EXPECT_EQ(gate.cases, gate.passed + gate.undecidable);
  }
  EXPECT_EQ(judged, 480);
  EXPECT_FALSE(report_of(report, "CMP-02").reason.empty());
  EXPECT_GT(report.elements, 1000);
}

TEST(Check, FindsConfirmsAndShrinks) {
  std::vector<Finding> announced;
  const CheckReport report =
      check(subject("softmax"), factory(stateless(fake::softmax_times(1.001))),
            {.gates = {find_gate("CMP-01")}, .cases = 40, .jobs = 2, .on_finding = [&](const Finding& f) {
               announced.push_back(f);
             }});
  ASSERT_EQ(report.findings.size(), 1u);
  const Finding& finding = report.findings[0];
  EXPECT_EQ(finding.gate->id, "CMP-01");
  EXPECT_EQ(finding.signature.text, "CMP-01/value/f32");
  EXPECT_EQ(finding.reproduced, 5);
  EXPECT_EQ(finding.hits, 40);
  EXPECT_EQ(finding.shrunk.instance.dims, (Dims{1, 1}));
  EXPECT_EQ(finding.shrinking.stopped_by, "minimal");
  EXPECT_EQ(finding.verdict.outcome, Outcome::violated);  // the softmax of one number is exactly 1
  EXPECT_EQ(announced.size(), 1u);
  EXPECT_EQ(report_of(report, "CMP-01").outcome, Outcome::violated);
  const Verdict again = judge_once(finding.shrunk, *finding.gate, subject("softmax"),
                                   factory(stateless(fake::softmax_times(1.001))));
  EXPECT_EQ(again.outcome, Outcome::violated);
}

TEST(Check, ShrinksTheFaultOfTheDesignPageToItsOptimum) {
  Subject s = subject("softmax");
  s.where = *Where::parse(s.contract, "cols % 16 == 5");
  const CheckReport report = check(s, factory(stateless(drops_nan_near_the_end())),
                                   {.gates = {find_gate("EXC-01")}, .cases = 400, .jobs = 1});
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].shrunk.instance.dims, (Dims{1, 21}));
  EXPECT_EQ(report.findings[0].shrunk.plants.size(), 1u);
}

// The cases that a kernel sees at every number of jobs, without the order in which it sees them.
TEST(Check, JudgesTheSameCasesAtEveryNumberOfJobs) {
  std::vector<std::multiset<std::string>> seen;
  for (int jobs : {1, 3}) {
    std::mutex mutex;
    auto& inputs = seen.emplace_back();
    const auto kernel = [&](const Launch& launch, RunResult& result) {
      fake::softmax(launch, result);
      const std::lock_guard lock(mutex);
      const Tensor& x = launch.inputs[0];
      inputs.insert(fake::key({x.data(), x.size_bytes()}));
    };
    check(subject("softmax"), factory(stateless(kernel)), {.cases = 200, .jobs = jobs});
  }
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_GT(seen[0].size(), 200u);
}

TEST(Check, ReportsWhatAFreshProcessDoesNotRepeatAsFlaky) {
  auto calls = std::make_shared<std::atomic<int>>(0);
  const CheckReport report =
      check(subject("relu"), factory(stateless([calls](const Launch& launch, RunResult& result) {
              fake::relu(launch, result);
              if (++*calls == 7) fake::store(result.outputs[0], 0, -1);
            })),
            {.gates = {find_gate("CMP-01")}, .cases = 50, .jobs = 1});
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].verdict.outcome, Outcome::flaky);
  EXPECT_EQ(report.findings[0].reproduced, 0);
  EXPECT_EQ(report.findings[0].shrunk, report.findings[0].original);
  EXPECT_EQ(report_of(report, "CMP-01").outcome, Outcome::flaky);
}

TEST(Check, AFaultThatShowsHalfTheTimeIsConfirmedThreeTimesOfFive) {
  auto calls = std::make_shared<std::atomic<int>>(0);
  const CheckReport report =
      check(subject("relu"), factory(stateless([calls](const Launch& launch, RunResult& result) {
              fake::relu(launch, result);
              if (++*calls % 5 < 3) fake::store(result.outputs[0], 0, -1);
            })),
            {.gates = {find_gate("CMP-01")}, .cases = 5, .jobs = 1});
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].reproduced, 3);
  EXPECT_NE(report.findings[0].verdict.outcome, Outcome::flaky);
}

TEST(Check, GivesUpOnAKernelThatAlwaysCrashes) {
  auto calls = std::make_shared<std::atomic<int>>(0);
  const CheckReport report =
      check(subject("softmax"), factory(stateless([calls](const Launch&, RunResult& result) {
              ++*calls;
              result.status = RunResult::Status::crashed;
            })),
            {.cases = 100000, .jobs = 2});
  EXPECT_LT(*calls, 10000);
  EXPECT_EQ(report_of(report, "CMP-01").outcome, Outcome::crashed);
  for (const Finding& finding : report.findings) EXPECT_EQ(finding.verdict.outcome, Outcome::crashed);
}

TEST(Check, WaitsForFewHangs) {
  auto waited = std::make_shared<std::atomic<std::int64_t>>(0);
  const CheckReport report =
      check(subject("softmax"), factory(stateless([waited](const Launch& launch, RunResult& result) {
              *waited += launch.deadline.count();
              result.status = RunResult::Status::hung;
            })),
            {.gates = {find_gate("CMP-01")}, .cases = 1000, .jobs = 1, .shrink = {.runs = 8}});
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].verdict.outcome, Outcome::hung);
  EXPECT_LT(*waited, 8000);
}

TEST(Check, StopsWhenAsked) {
  std::atomic<bool> stop{false};
  auto calls = std::make_shared<std::atomic<int>>(0);
  const CheckReport report =
      check(subject("relu"), factory(stateless([&stop, calls](const Launch& launch, RunResult& result) {
              fake::relu(launch, result);
              if (++*calls == 20) stop = true;
            })),
            {.cases = 100000, .jobs = 2, .stop = &stop});
  EXPECT_TRUE(report.interrupted);
  EXPECT_LT(*calls, 100);
}

TEST(Check, SaysWhenTheMachineFails) {
  CheckReport report =
      check(subject("relu"),
            []() -> Expected<std::unique_ptr<Runner>> { return infrastructure_error("no workers here"); },
            {.cases = 10});
  EXPECT_EQ(report.infrastructure, "no workers here");
  report = check(subject("relu"), factory(stateless([](const Launch&, RunResult& result) {
                   result.status = RunResult::Status::infrastructure;
                   result.detail = "cannot exec";
                 })),
                 {.cases = 10, .jobs = 1});
  EXPECT_EQ(report.infrastructure, "cannot exec");
  EXPECT_TRUE(report.findings.empty());
}

TEST(Check, AGateWithoutJudgedCasesDoesNotPass) {
  const CheckReport report = check(subject("relu"), factory(stateless([](const Launch&, RunResult& result) {
                                     result.status = RunResult::Status::refused;
                                   })),
                                   {.cases = 100, .jobs = 1});
  for (const GateReport& gate : report.gates) {
    // A gate that the contract needs, but nobody could answer, has no verdict.
    const bool needed = !gate.gate->not_applicable(subject("relu"));
    EXPECT_EQ(gate.outcome, needed ? Outcome::undecidable : Outcome::not_applicable) << gate.gate->id;
    EXPECT_EQ(gate.unanswered, gate.not_applicable);
    EXPECT_FALSE(gate.reason.empty());
  }
}

TEST(Check, KeepsAsManyFindingsAsAsked) {
  auto calls = std::make_shared<std::atomic<int>>(0);
  const CheckReport report =
      check(subject("relu"), factory(stateless([](const Launch& launch, RunResult& result) {
              fake::relu(launch, result);
              result.diagnostics = {
                  {std::array{"launch error", "leak", "race"}[launch.instance.dims[0] / 16 % 3], "", ""}};
            })),
            {.gates = {find_gate("RES-02")}, .cases = 1000, .jobs = 1, .findings_per_gate = 2});
  EXPECT_EQ(report.findings.size(), 2u);
  EXPECT_LT(report_of(report, "RES-02").cases, 100);
}

TEST(Signature, StaysCoarse) {
  const Subject s = subject("softmax");
  Case c = draw_case(s, *find_gate("CMP-03"), 1, 0);
  Verdict verdict{Outcome::crashed, {}};
  verdict.evidence.kind = "out of bounds";
  const auto text = [&] {
    return signature_of(c, *find_gate("CMP-03"), verdict, s.contract.signature()).text;
  };
  c.instance.dims = {3, 35};
  EXPECT_EQ(text(), "CMP-03/out of bounds/f32");
  c.instance.dims = {0, 35};
  EXPECT_EQ(text(), "CMP-03/out of bounds/f32/empty");
  c.instance.dims = {std::int64_t{1} << 22, 1025};
  EXPECT_EQ(text(), "CMP-03/out of bounds/f32/past 2^31");
}

TEST(Signature, IsOneWhetherTimeOrMemoryRunsOut) {
  const Subject s = subject("softmax");
  const Case c = draw_case(s, *find_gate("CMP-03"), 1, 0);
  Verdict late{Outcome::hung, {}};
  late.evidence.kind = "hang";
  Verdict large{Outcome::crashed, {}};
  large.evidence.kind = "out of memory";
  Verdict crash = large;
  crash.evidence.kind = "crash";
  const auto text = [&](const Verdict& verdict) {
    return signature_of(c, *find_gate("CMP-03"), verdict, s.contract.signature()).text;
  };
  EXPECT_EQ(text(late), text(large));
  EXPECT_NE(text(late), text(crash));
}

}  // namespace
}  // namespace assay
