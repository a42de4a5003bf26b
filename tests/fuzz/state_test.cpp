#include "fuzz/state.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "core/file.h"
#include "tests/fuzz/support.h"

namespace assay::fuzz {
namespace {

namespace fs = std::filesystem;
using fake::stateless;

constexpr const char* kSignature = "CMP-01/value/f32";

Record finding() {
  return triage(softmax_case(5, 43), *find_gate("CMP-01"), kSignature, target("softmax"),
                factory(stateless(wrong_at_three)), {});
}

std::string refusal(const fs::path& folder, const std::vector<TargetOptions>& kernels) {
  const auto state = StateFolder::open(folder, kernels);
  return state ? "" : state.error().message;
}

TEST(StateFolder, KeepsFindingsForTheNextRun) {
  const Folder folder;
  const Target softmax = target("softmax");
  const Record record = finding();
  const auto kernel = factory(stateless(wrong_at_three));
  {
    const auto state = StateFolder::open(folder.path(), {softmax.asked});
    ASSERT_TRUE(state) << state.error().message;
    EXPECT_TRUE(state->findings(softmax)->empty());
    const auto filed = state->file(record, softmax, kernel);
    ASSERT_TRUE(filed) << filed.error().message;
  }
  const auto state = StateFolder::open(folder.path(), {softmax.asked});
  ASSERT_TRUE(state) << state.error().message;
  const auto records = state->findings(softmax);
  ASSERT_TRUE(records) << records.error().message;
  ASSERT_EQ(records->size(), 1u);
  EXPECT_EQ(to_json(records->front(), softmax), to_json(record, softmax));
  EXPECT_TRUE(fs::exists(state->of(softmax.asked).findings / (record.name + ".case")));
}

TEST(StateFolder, MakesARegressionTestOfAFixedFinding) {
  const Folder folder;
  const Target softmax = target("softmax");
  Record record = finding();
  const auto state = StateFolder::open(folder.path(), {softmax.asked});
  ASSERT_TRUE(state) << state.error().message;
  const fs::path regression = state->of(softmax.asked).regressions / (record.name + ".case");
  ASSERT_TRUE(state->file(record, softmax, factory(stateless(wrong_at_three))));
  EXPECT_FALSE(fs::exists(regression));
  record.state = State::fixed;
  ASSERT_TRUE(state->file(record, softmax, factory(stateless(fake::softmax))));
  EXPECT_TRUE(fs::exists(regression));
  record.state = State::regressed;
  ASSERT_TRUE(state->file(record, softmax, factory(stateless(wrong_at_three))));
  EXPECT_TRUE(fs::exists(regression));
  EXPECT_EQ(state->findings(softmax)->front().state, State::regressed);
}

TEST(StateFolder, IsHeldByOneCampaign) {
  const Folder folder;
  const Target softmax = target("softmax");
  {
    const auto state = StateFolder::open(folder.path(), {softmax.asked});
    ASSERT_TRUE(state) << state.error().message;
    const std::string message = refusal(folder.path(), {softmax.asked});
    EXPECT_NE(message.find(fmt::format("process {}", ::getpid())), std::string::npos) << message;
    EXPECT_NE(message.find("--state"), std::string::npos) << message;
  }
  EXPECT_EQ(refusal(folder.path(), {softmax.asked}), "");
}

TEST(StateFolder, IsFreeAgainWhenItsHolderWasKilled) {
  const Folder folder;
  const Target softmax = target("softmax");
  const pid_t child = ::fork();
  if (child == 0) {
    const auto state = StateFolder::open(folder.path(), {softmax.asked});
    // Torn, as a kill in the middle leaves them.
    std::ofstream(folder / "log.jsonl") << "{\"a\": 1}\n{\"b\": ";
    std::ofstream(folder / fmt::format(".assay-{}-0.tmp", ::getpid())) << "half";
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_TRUE(fs::exists(folder / fmt::format(".assay-{}-0.tmp", child)));
  const auto state = StateFolder::open(folder.path(), {softmax.asked});
  ASSERT_TRUE(state) << state.error().message;
  state->log("{\"c\": 2}");
  EXPECT_EQ(*read_file(folder / "log.jsonl"), "{\"a\": 1}\n{\"c\": 2}\n");
  EXPECT_FALSE(fs::exists(folder / fmt::format(".assay-{}-0.tmp", child)));
}

TEST(StateFolder, RefusesAnotherCampaignAndSaysWhichItHolds) {
  const Folder folder;
  TargetOptions softmax = target("softmax").asked, other = softmax;
  ASSERT_EQ(refusal(folder.path(), {softmax}), "");
  other.where = "cols <= 64";
  const std::string message = refusal(folder.path(), {other});
  EXPECT_NE(message.find("cols <= 64"), std::string::npos) << message;
  EXPECT_NE(message.find("--contract softmax"), std::string::npos) << message;
  EXPECT_EQ(refusal(folder.path(), {softmax}), "");
}

TEST(StateFolder, TellsWhichKernelsItIsFor) {
  const Folder folder;
  TargetOptions softmax = target("softmax").asked;
  softmax.kernel = folder / "softmax.cu";
  softmax.where = "cols <= 64";
  ASSERT_EQ(refusal(folder / "state", {softmax}), "");
  const auto kernels = StateFolder::kernels_of(folder / "state");
  ASSERT_TRUE(kernels) << kernels.error().message;
  ASSERT_EQ(kernels->size(), 1u);
  const auto& [options, where] = kernels->front();
  EXPECT_EQ(options.kernel, softmax.kernel);
  EXPECT_EQ(options.contract, "softmax");
  EXPECT_EQ(options.where, "cols <= 64");
  EXPECT_EQ(where.corpus, (folder / "state") / "softmax" / "corpus");
  EXPECT_EQ(refusal(folder / "state", {options}), "");
  EXPECT_FALSE(StateFolder::kernels_of(folder.path()));
}

TEST(StateFolder, GivesKernelsOfOneNameFoldersOfTheirOwn) {
  const Folder folder;
  TargetOptions one = target("softmax").asked, two = one;
  two.kernel = "elsewhere/softmax.cu";
  const auto state = StateFolder::open(folder.path(), {one, two});
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_NE(state->of(one).folder, state->of(two).folder);
  EXPECT_TRUE(fs::is_directory(state->of(two).corpus));
}

TEST(StateFolder, HandsOutReportsOldestFirst) {
  const Folder folder;
  const Target softmax = target("softmax");
  const auto state = StateFolder::open(folder.path(), {softmax.asked});
  ASSERT_TRUE(state) << state.error().message;
  const fs::path inbox = state->of(softmax.asked).inbox;
  std::vector<fs::path> filed;
  for (std::int64_t cols : {43, 11, 3}) {
    const auto file =
        report(inbox, softmax, *find_gate("CMP-01"), kSignature, Verdict{}, softmax_case(1, cols));
    ASSERT_TRUE(file);
    fs::last_write_time(*file, fs::file_time_type::clock::now() + std::chrono::seconds(filed.size()));
    filed.push_back(*file);
  }
  EXPECT_EQ(state->reports(softmax.asked), filed);
}

}  // namespace
}  // namespace assay::fuzz
