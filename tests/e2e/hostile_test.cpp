// Kernels that crash, hang, leave, flood, fork and devour get a verdict, and the program goes on.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "tests/e2e/program.h"

namespace assay::e2e {
namespace {

struct Hostile {
  std::string name;
  std::string file;
  std::vector<std::string> outcomes;  // any of them is a verdict; none: a clean report is one too
};

void PrintTo(const Hostile& hostile, std::ostream* out) {
  *out << hostile.file;
}

class HostileKernel : public testing::TestWithParam<Hostile> {};

TEST_P(HostileKernel, GetsAVerdict) {
  const Folder folder;
  const Hostile& hostile = GetParam();
  const Result result = assay_running({"check", kernel(hostile.file), "--contract", "relu", "--gates",
                                       "CMP-01,EXC-01", "--cases", "40", "--json", "r.json"},
                                      folder.path());
  ASSERT_FALSE(content(folder / "r.json").empty()) << result.code << result.out << result.err;
  const nlohmann::json report = nlohmann::json::parse(content(folder / "r.json"));
  if (hostile.outcomes.empty()) {
    EXPECT_LE(result.code, 1) << result.out << result.err;
    return;
  }
  EXPECT_EQ(result.code, 1) << result.out << result.err;
  ASSERT_FALSE(report["findings"].empty()) << result.out << result.err;
  for (const auto& finding : report["findings"]) {
    const std::string outcome = finding["outcome"];
    EXPECT_EQ(std::count(hostile.outcomes.begin(), hostile.outcomes.end(), outcome), 1) << outcome;
  }
  EXPECT_FALSE(folder.files(".case").empty());
}

INSTANTIATE_TEST_SUITE_P(All, HostileKernel,
                         testing::Values(Hostile{"Crashes", "crashes.cu", {"crashed"}},
                                         Hostile{"Hangs", "hangs.cu", {"hung"}},
                                         Hostile{"Exits", "exits.cu", {"crashed"}},
                                         Hostile{"WritesAnywhere", "writes_anywhere.cu", {"crashed"}},
                                         Hostile{"Allocates", "allocates.cu", {"crashed", "hung"}},
                                         Hostile{"Forks", "forks.cu", {}},
                                         Hostile{"Floods", "floods.cu", {}}),
                         [](const testing::TestParamInfo<Hostile>& info) { return info.param.name; });

}  // namespace
}  // namespace assay::e2e
