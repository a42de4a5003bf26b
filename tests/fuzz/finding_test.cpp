#include "fuzz/finding.h"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "core/file.h"
#include "tests/fuzz/support.h"

namespace assay::fuzz {
namespace {

using fake::stateless;

constexpr const char* kSignature = "CMP-01/value/f32";

const Gate& value_gate() {
  return *find_gate("CMP-01");
}

TEST(Finding, IsConfirmedShrunkAndExplained) {
  const Target softmax = target("softmax");
  const Record record =
      triage(softmax_case(5, 43), value_gate(), kSignature, softmax, factory(stateless(wrong_at_three)), {});
  EXPECT_EQ(record.state, State::confirmed);
  EXPECT_EQ(record.reproduced, 5);
  EXPECT_EQ(record.shrunk.instance.dims, (Dims{1, 3}));
  EXPECT_EQ(record.shrinking.stopped_by, "minimal");
  EXPECT_EQ(record.original, softmax_case(5, 43));
  EXPECT_EQ(record.verdict.outcome, Outcome::beyond_budget);
  const std::string why = to_string(record.explanation);
  EXPECT_NE(why.find("cols = 3 mod 8"), std::string::npos) << why;
  EXPECT_NE(why.find("rows"), std::string::npos) << why;
  EXPECT_EQ(record.name, name_of(softmax, value_gate(), kSignature));
  EXPECT_TRUE(record.name.starts_with("softmax-CMP-01-")) << record.name;
}

TEST(Finding, SaysWhichBudgetStoppedTheShrinking) {
  const auto shrink = [&](ShrinkBudget budget) {
    return triage(softmax_case(5, 43), value_gate(), kSignature, target("softmax"),
                  factory(stateless(wrong_at_three)), {budget, nullptr})
        .shrinking.stopped_by;
  };
  EXPECT_EQ(shrink({.steps = 1}), "steps");
  EXPECT_EQ(shrink({.runs = 1}), "runs");
  EXPECT_EQ(shrink({.time = std::chrono::milliseconds(0)}), "time");
}

// Fails in every third process only.
TEST(Finding, ThatComesAndGoesIsFlaky) {
  auto processes = std::make_shared<int>(0);
  const auto make = [processes]() -> fake::Kernel {
    return ++*processes % 3 == 0 ? fake::softmax_times(1.001) : fake::softmax;
  };
  const Record record =
      triage(softmax_case(2, 9), value_gate(), kSignature, target("softmax"), factory(make), {});
  EXPECT_EQ(record.state, State::flaky);
  EXPECT_GT(record.reproduced, 0);
  EXPECT_LT(record.reproduced, 3);
  EXPECT_EQ(record.verdict.outcome, Outcome::flaky);
  EXPECT_EQ(record.shrunk, record.original);
}

TEST(Finding, StaysNewWhereNothingCouldBeDecided) {
  const std::atomic<bool> stop{true};
  EXPECT_EQ(triage(softmax_case(2, 9), value_gate(), kSignature, target("softmax"),
                   factory(stateless(wrong_at_three)), {{}, &stop})
                .state,
            State::fresh);
  const RunnerFactory broken = []() -> Expected<std::unique_ptr<Runner>> {
    return infrastructure_error("no worker");
  };
  const Record record = triage(softmax_case(2, 9), value_gate(), kSignature, target("softmax"), broken, {});
  EXPECT_EQ(record.state, State::fresh);
  EXPECT_EQ(record.verdict.evidence.detail, "no worker");
}

TEST(Finding, ComesBackFromItsFile) {
  Target softmax = target("softmax");
  Record record =
      triage(softmax_case(5, 43), value_gate(), kSignature, softmax, factory(stateless(wrong_at_three)), {});
  record.hits = 12;
  record.executions = 345;
  record.seconds = 6.5;
  record.verdict.evidence.got = std::numeric_limits<double>::infinity();
  record.verdict.evidence.low.reset();
  record.shrunk.plants = {Plant{0, {}, {true, 2}, Special::nan}};
  const std::string text = to_json(record, softmax);
  const Expected<Record> back = parse_record(text, "x.json", softmax);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(to_json(*back, softmax), text);
  EXPECT_EQ(back->shrunk, record.shrunk);
  EXPECT_EQ(back->original, record.original);
  EXPECT_EQ(back->verdict.evidence.got, record.verdict.evidence.got);
  EXPECT_FALSE(back->verdict.evidence.low);
  EXPECT_EQ(back->explanation.must_hold, record.explanation.must_hold);
}

TEST(Finding, RefusesADamagedFileAndSaysWhere) {
  const Target softmax = target("softmax");
  const std::string whole = to_json(
      triage(softmax_case(1, 3), value_gate(), kSignature, softmax, factory(stateless(wrong_at_three)), {}),
      softmax);
  const auto message = [&](std::string text) {
    const Expected<Record> record = parse_record(text, "x.json", softmax);
    return record ? std::string("accepted") : record.error().message;
  };
  EXPECT_NE(message(whole.substr(0, whole.size() / 2)).find("x.json"), std::string::npos);
  EXPECT_NE(message("{}").find("version"), std::string::npos);
  std::string odd = whole;
  odd.replace(odd.find("confirmed"), 9, "confused!");
  EXPECT_NE(message(odd).find("confused!"), std::string::npos) << message(odd);
}

TEST(Finding, ReportsComeOutOfTheInboxAsTheyWentIn) {
  const Folder folder;
  const Target softmax = target("softmax");
  const Case c = softmax_case(5, 43);
  const auto file = report(folder.path(), softmax, value_gate(), kSignature, Verdict{}, c);
  ASSERT_TRUE(file) << file.error().message;
  const auto raw = read_report(*file, softmax);
  ASSERT_TRUE(raw) << raw.error().message;
  EXPECT_EQ(raw->test, c);
  EXPECT_EQ(raw->gate, &value_gate());
  EXPECT_EQ(raw->signature, kSignature);
}

TEST(Finding, IsFixedAndRegressesWithTheBuilds) {
  const auto wrong = factory(stateless(wrong_at_three)), right = factory(stateless(fake::softmax));
  Record record = triage(softmax_case(5, 43), value_gate(), kSignature, target("softmax"), wrong, {});
  ASSERT_EQ(record.state, State::confirmed);
  EXPECT_EQ(recheck(record, target("softmax"), right), State::confirmed) << "the same build";
  EXPECT_EQ(recheck(record, target("softmax", "second"), wrong), State::confirmed);
  EXPECT_EQ(recheck(record, target("softmax", "second"), right), State::fixed);
  record.state = State::fixed;
  EXPECT_EQ(recheck(record, target("softmax", "third"), right), State::fixed);
  EXPECT_EQ(recheck(record, target("softmax", "third"), wrong), State::regressed);
  record.state = State::regressed;
  EXPECT_EQ(recheck(record, target("softmax", "fourth"), right), State::fixed);
  record.state = State::flaky;
  EXPECT_EQ(recheck(record, target("softmax", "fourth"), right), State::flaky);
  EXPECT_EQ(recheck(record, target("softmax", "fourth"), wrong), State::confirmed);
}

TEST(Finding, StatesHaveNamesThatComeBack) {
  for (State state : {State::fresh, State::confirmed, State::flaky, State::fixed, State::regressed})
    EXPECT_EQ(parse_state(name(state)), state);
  EXPECT_FALSE(parse_state("unknown"));
}

}  // namespace
}  // namespace assay::fuzz
