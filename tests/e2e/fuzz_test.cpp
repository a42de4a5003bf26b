// Campaigns as a user runs them: they find, end when told to, go on where they were killed.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <thread>

#include "core/reproducer.h"
#include "oracle/contract.h"
#include "tests/e2e/program.h"

namespace assay::e2e {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

const std::string faulty = control("negative/max_fmaxf.cu");

std::set<std::string> names(const Folder& folder, const std::string& extension) {
  std::set<std::string> result;
  for (const fs::path& file : folder.files(extension))
    if (file.parent_path().filename() == "findings") result.insert(file.filename().string());
  return result;
}

std::set<std::string> corpus(const fs::path& state) {
  std::set<std::string> result;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(state))
    if (entry.path().parent_path().filename() == "corpus") {
      result.insert(entry.path().filename().string());
      EXPECT_GT(entry.file_size(), 0U) << entry.path();
    }
  return result;
}

nlohmann::json stats(const fs::path& state) {
  return nlohmann::json::parse(content(state / "stats.json"));
}

void expect_whole(const Folder& folder) {
  const auto contract = load_contract("max");
  ASSERT_TRUE(contract);
  for (const fs::path& file : folder.files(".case")) {
    const auto parsed = parse_reproducer(content(file), file.string(), contract->signature());
    EXPECT_TRUE(parsed) << parsed.error().message;
  }
  for (const fs::path& file : folder.files(".json"))
    EXPECT_TRUE(nlohmann::json::accept(content(file))) << file << content(file);
}

TEST(Fuzz, FindsConfirmsAndFiles) {
  const Folder folder;
  const Result result = assay_running({"fuzz", faulty, "--contract", "max", "--state", "s", "--keep-going",
                                       "1", "--for", "2m", "--jobs", "1"},
                                      folder.path());
  EXPECT_EQ(result.code, 1) << result.out << result.err;
  EXPECT_NE(result.out.find("ended by: findings"), std::string::npos) << result.out << result.err;
  const auto records = names(folder, ".json");
  ASSERT_FALSE(records.empty());
  EXPECT_EQ(records.size(), names(folder, ".case").size());
  const auto record =
      nlohmann::json::parse(content(folder / "s" / "max_fmaxf" / "findings" / *records.begin()));
  EXPECT_EQ(record["state"], "confirmed");
  expect_whole(folder);
  const Result replayed = assay_running({"replay", folder.files(".case").front().string()}, folder.path());
  EXPECT_EQ(replayed.code, 1) << replayed.out << replayed.err;
}

TEST(Fuzz, ARightKernelHasNoFinding) {
  const Folder folder;
  const Result result = assay_running(
      {"fuzz", "builtin:max_warp", "--state", "s", "--runs", "600", "--jobs", "2"}, folder.path());
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_NE(result.out.find("ended by: runs"), std::string::npos) << result.out;
  const nlohmann::json now = stats(folder / "s");
  EXPECT_GE(now["executions"], 600);
  EXPECT_GT(now["features_by_family"]["branches"], 0);
  EXPECT_TRUE(now["findings"].is_null() || now["findings"].empty());
  EXPECT_EQ(content(folder / "s" / "plot.csv").rfind("seconds,executions", 0), 0U);
  EXPECT_FALSE(corpus(folder / "s").empty());
}

TEST(Fuzz, TheSameSeedFindsTheSame) {
  const Folder folder;
  for (const char* state : {"a", "b"}) {
    const Result result = assay_running({"fuzz", faulty, "--contract", "max", "--state", state, "--runs",
                                         "400", "--jobs", "1", "--seed", "7"},
                                        folder.path());
    EXPECT_EQ(result.code, 1) << result.out << result.err;
  }
  EXPECT_EQ(corpus(folder / "a"), corpus(folder / "b"));
  const auto found = [&](const char* state) {
    std::set<std::string> result;
    for (const auto& entry : fs::directory_iterator(folder / state / "max_fmaxf" / "findings"))
      result.insert(entry.path().filename().string());
    return result;
  };
  EXPECT_EQ(found("a"), found("b"));
}

TEST(Fuzz, GoesOnWhereItWasAndRefusesAnother) {
  const Folder folder;
  std::thread first([&] {
    const Result result = assay_running({"fuzz", "builtin:max_warp", "--state", "s", "--jobs", "1"},
                                        folder.path(), Strike{milliseconds(9000), SIGTERM});
    EXPECT_EQ(result.code, 130) << result.out << result.err;
  });
  for (int i = 0; i < 80 && !fs::exists(folder / "s" / "lock"); ++i)
    std::this_thread::sleep_for(milliseconds(100));
  const Result second =
      assay_running({"fuzz", "builtin:max_warp", "--state", "s", "--runs", "9"}, folder.path());
  EXPECT_EQ(second.code, 2) << second.out << second.err;
  EXPECT_NE(second.err.find("in use"), std::string::npos) << second.err;
  first.join();
  const std::int64_t before = stats(folder / "s")["executions"];
  const Result again = assay_running(
      {"fuzz", "builtin:max_warp", "--state", "s", "--runs", "50", "--jobs", "1"}, folder.path());
  EXPECT_EQ(again.code, 0) << again.out << again.err;
  EXPECT_EQ(stats(folder / "s")["executions"], before + 50);
}

TEST(Fuzz, KilledAtFiftyMomentsNothingConfirmedIsLost) {
  const Folder folder;
  std::mt19937 random(50);
  // What is compiled once is in the cache; the lives that follow are short.
  assay_running({"fuzz", faulty, "--contract", "max", "--state", "s", "--jobs", "1", "--keep-going", "1",
                 "--for", "2m"},
                folder.path());
  std::set<std::string> confirmed = names(folder, ".json");
  EXPECT_FALSE(confirmed.empty());
  for (int i = 0; i < 50; ++i) {
    assay_running({"fuzz", faulty, "--contract", "max", "--state", "s", "--jobs", "1"}, folder.path(),
                  Strike{milliseconds(std::uniform_int_distribution(100, 1400)(random)), SIGKILL});
    expect_whole(folder);
    const auto now = names(folder, ".json");
    EXPECT_TRUE(std::includes(now.begin(), now.end(), confirmed.begin(), confirmed.end())) << "round " << i;
    confirmed = now;
  }
  EXPECT_FALSE(corpus(folder / "s").empty());
  // And it still works.
  const Result last = assay_running(
      {"fuzz", faulty, "--contract", "max", "--state", "s", "--runs", "20", "--jobs", "1"}, folder.path());
  EXPECT_EQ(last.code, 1) << last.out << last.err;
  for (const auto& file : folder.files(".tmp")) ADD_FAILURE() << file << " was left behind";
}

TEST(Fuzz, SaysWhatIsWrongWithACommand) {
  const Folder folder;
  const auto refused = [&](std::vector<std::string> arguments, const std::string& because) {
    arguments.insert(arguments.begin(), "fuzz");
    const Result result = assay(arguments, folder.path());
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_NE(result.err.find(because), std::string::npos) << result.err;
  };
  refused({}, "kernel is missing");
  refused({faulty}, "--contract is missing");
  refused({faulty, "--contract", "maxx"}, "max");
  refused({"builtin:max_wrap"}, "max_warp");
  refused({faulty, "--contract", "max", "--forever", "--for", "1s"}, "exclude");
  refused({faulty, "--contract", "max", "--ci"}, "--for");
  refused({faulty, "--contract", "max", "--runs", "0"}, "--runs");
  refused({faulty, "--contract", "max", "--runs", "1", "--", "-fork=2"}, "-fork");
  refused({faulty, "--contract", "max", "--runs", "1", "--", "only_ascii"}, "-name=value");
}

}  // namespace
}  // namespace assay::e2e
