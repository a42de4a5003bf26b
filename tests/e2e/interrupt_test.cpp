// A signal at any moment leaves whole files or none.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "core/file.h"
#include "core/reproducer.h"
#include "oracle/contract.h"
#include "tests/e2e/program.h"

namespace assay::e2e {
namespace {

using std::chrono::milliseconds;

const std::string faulty = control("negative/softmax_no_max.cu");

void expect_whole(const Folder& folder) {
  const auto contract = load_contract("softmax");
  ASSERT_TRUE(contract);
  for (const auto& file : folder.files(".case")) {
    const auto parsed = parse_reproducer(content(file), file.string(), contract->signature());
    EXPECT_TRUE(parsed) << parsed.error().message;
  }
  for (const auto& file : folder.files(".json"))
    EXPECT_TRUE(nlohmann::json::accept(content(file))) << content(file);
}

TEST(Interrupt, ReportsWhatWasFound) {
  const Folder folder;
  const Result result =
      assay_running({"check", faulty, "--contract", "softmax", "--for", "4m", "--json", "r.json"},
                    folder.path(), Strike{milliseconds(12000), SIGINT});
  EXPECT_EQ(result.code, 130) << result.out << result.err;
  EXPECT_NE(result.out.find("interrupted"), std::string::npos) << result.out << result.err;
  const nlohmann::json report = nlohmann::json::parse(content(folder / "r.json"));
  EXPECT_EQ(report["interrupted"], true);
  EXPECT_EQ(report["findings"].size(), folder.files(".case").size());
  expect_whole(folder);
}

TEST(Interrupt, OfARightKernelProvesNothing) {
  const Folder folder;
  const Result result = assay_running(
      {"check", control("positive/softmax_three_pass.cu"), "--contract", "softmax", "--for", "4m"},
      folder.path(), Strike{milliseconds(8000), SIGTERM});
  EXPECT_EQ(result.code, 130) << result.out << result.err;
  EXPECT_EQ(result.out.find("keeps contract"), std::string::npos) << result.out;
}

// A call of `large.case` may take a minute and a half; each command has ended long before.
TEST(Interrupt, EndsEveryCommandWhileACallHangs) {
  const Folder folder;
  folder.write("large.case", "assay case 1\nkernel = " + kernel("hangs.cu") +
                                 "\ncontract = relu\ngate = CMP-01\ndtype = f32\ndims = n=4194304\n"
                                 "input x = fill normal, scale 0, order drawn, offset 0\n"
                                 "output y = offset 0\nseed = 3\n");
  folder.write("controls/a.cu", "// control: positive\n// contract: relu\n" + content(kernel("hangs.cu")));
  using Words = std::vector<std::string>;
  for (const Words& words : {Words{"replay", "large.case"}, Words{"shrink", "large.case", "--for", "4m"},
                             Words{"check", kernel("hangs.cu"), "--contract", "relu", "--for", "4m"},
                             Words{"controls", "--dir", "controls", "--cases", "1000000"}}) {
    for (int signal : {SIGINT, SIGTERM}) {
      const auto begin = std::chrono::steady_clock::now();
      const Result result = assay_running(words, folder.path(), Strike{milliseconds(4000), signal});
      EXPECT_EQ(result.code, 130) << words[0] << result.out << result.err;
      EXPECT_NE((result.out + result.err).find("interrupted"), std::string::npos)
          << words[0] << result.out << result.err;
      EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(40)) << words[0];
    }
  }
}

TEST(Interrupt, KilledAtTwentyMomentsNoFileIsTorn) {
  const Folder folder;
  std::mt19937 random(20);
  for (int i = 0; i < 20; ++i) {
    assay_running({"check", faulty, "--contract", "softmax", "--cases", "2000", "--json", "r.json"},
                  folder.path(),
                  Strike{milliseconds(std::uniform_int_distribution(1, 3000)(random)), SIGKILL});
    expect_whole(folder);
  }
  EXPECT_FALSE(folder.files(".case").empty()) << "no run came as far as a finding";
}

}  // namespace
}  // namespace assay::e2e
