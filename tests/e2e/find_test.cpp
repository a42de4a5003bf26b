// A fault is found, shrunk, saved and replayed.

#include <gtest/gtest.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/e2e/program.h"

namespace assay::e2e {
namespace {

using nlohmann::json;

const std::string faulty = control("negative/softmax_no_max.cu");
const std::string right = control("positive/softmax_three_pass.cu");

TEST(Find, AFaultIsFoundShrunkSavedAndReplayed) {
  const Folder folder;
  const Result found = assay_running({"check", faulty, "--contract", "softmax", "--gates", "CMP-01",
                                      "--cases", "400", "--json", "report.json", "--junit", "report.xml"},
                                     folder.path());
  ASSERT_EQ(found.code, 1) << found.out << found.err;
  for (const std::string words : {"CMP-01 value", "finding 1", "breaks contract softmax"})
    EXPECT_NE(found.out.find(words), std::string::npos) << "'" << words << "' is not in\n" << found.out;

  const auto saved = folder.files(".case");
  ASSERT_FALSE(saved.empty()) << found.out;
  EXPECT_EQ(saved[0].parent_path(), folder / ".assay" / "cases");
  EXPECT_TRUE(saved[0].filename().string().starts_with("softmax_no_max-CMP-01-")) << saved[0];

  const json report = json::parse(content(folder / "report.json"));
  ASSERT_FALSE(report["findings"].empty());
  for (const json& finding : report["findings"]) {
    const std::string line = finding["replay"];
    ASSERT_TRUE(line.starts_with("assay replay ")) << line;
    EXPECT_NE(found.out.find(line), std::string::npos);
    const Result again = assay_running({"replay", line.substr(13)}, folder.path());
    EXPECT_EQ(again.code, 1) << again.out << again.err;
    EXPECT_NE(again.out.find("still fails: 5 of 5"), std::string::npos) << again.out;
  }
  const Result repaired = assay_running({"replay", saved[0].string(), "--kernel", right}, folder.path());
  EXPECT_EQ(repaired.code, 0) << repaired.out << repaired.err;
  EXPECT_NE(repaired.out.find("no longer fails"), std::string::npos) << repaired.out;
}

TEST(Find, ShrinkMakesABlownUpCaseSmallAgain) {
  const Folder folder;
  folder.write("big.case",
               "assay case 1\nkernel = " + faulty +
                   "\ncontract = softmax\ngate = CMP-01\ndtype = f32\ndims = rows=7 cols=300\n"
                   "input x = fill large, scale 6, order drawn, offset 0\noutput y = offset 0\nseed = 3\n");
  const Result shrunk = assay_running({"shrink", "big.case", "--out", "small"}, folder.path());
  ASSERT_EQ(shrunk.code, 1) << shrunk.out << shrunk.err;
  ASSERT_EQ(folder.files(".case").size(), 2u) << shrunk.out;
  const auto small = folder.files(".case")[1];
  EXPECT_NE(shrunk.out.find(small.filename().string()), std::string::npos) << shrunk.out;
  EXPECT_NE(content(small).find("rows=1 "), std::string::npos) << content(small);
  EXPECT_EQ(assay_running({"replay", small.string()}, folder.path()).code, 1);
}

TEST(Find, ARightKernelIsClean) {
  const Folder folder;
  const Result result = assay_running(
      {"check", right, "--contract", "softmax", "--cases", "240", "--json", "r.json"}, folder.path());
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_NE(result.out.find("keeps contract softmax"), std::string::npos) << result.out;
  EXPECT_TRUE(folder.files(".case").empty());
}

TEST(Find, NothingJudgedIsNoPass) {
  const Folder folder;
  // A softmax has no adjoint of its own: the one gate asked for does not apply.
  const Result result =
      assay_running({"check", right, "--contract", "softmax", "--gates", "CMP-02"}, folder.path());
  EXPECT_EQ(result.code, 3) << result.out << result.err;
  EXPECT_NE(result.out.find("nothing was judged"), std::string::npos) << result.out;
}

TEST(Find, ANarrowedDomainAndRelaxedClausesAreReported) {
  const Folder folder;
  const Result result =
      assay_running({"check", right, "--contract", "softmax", "--gates", "CMP-01", "--cases", "40", "--where",
                     "cols % 4 == 0, cols <= 512", "--allow", "fast-math,subnormals", "--json", "r.json"},
                    folder.path());
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_NE(result.out.find("cols % 4 == 0, cols <= 512"), std::string::npos) << result.out;
  const json report = json::parse(content(folder / "r.json"));
  EXPECT_EQ(report["where"], "cols % 4 == 0, cols <= 512");
  EXPECT_EQ(report["relaxed"], json::parse(R"(["fast-math", "subnormals"])"));
}

TEST(Find, ACaseOutsideTheNarrowedDomainIsNeverDrawn) {
  const Folder folder;
  const std::string assumes = control("negative/relu_multiple_of_four.cu");
  const Result all = assay_running({"check", assumes, "--contract", "relu", "--cases", "400"}, folder.path());
  EXPECT_EQ(all.code, 1) << all.out << all.err;
  const Result narrowed = assay_running(
      {"check", assumes, "--contract", "relu", "--cases", "400", "--where", "n % 4 == 0"}, folder.path());
  EXPECT_EQ(narrowed.code, 0) << narrowed.out << narrowed.err;
}

std::string times(const std::string& factor) {
  return "__global__ void times(const float* x, float* y, int n) {\n"
         "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (i < n) y[i] = " +
         factor +
         " * x[i];\n"
         "}\n"
         "extern \"C\" void solve(const float* x, float* y, int n) {\n"
         "  if (n > 0) times<<<(n + 127) / 128, 128>>>(x, y, n);\n"
         "}\n";
}

TEST(Find, AContractOfOnesOwn) {
  const Folder folder;
  folder.write("doubled.contract", content(std::string(ASSAY_SOURCE_DIR) + "/tests/e2e/doubled.contract"));
  folder.write("twice.cu", times("2"));
  folder.write("thrice.cu", times("3"));
  const Result good =
      assay_running({"check", "twice.cu", "--contract", "doubled.contract", "--cases", "120"}, folder.path());
  EXPECT_EQ(good.code, 0) << good.out << good.err;
  const Result bad = assay_running({"check", "thrice.cu", "--contract", "doubled.contract", "--cases", "120"},
                                   folder.path());
  EXPECT_EQ(bad.code, 1) << bad.out << bad.err;
  ASSERT_FALSE(folder.files(".case").empty());
  // From another folder: the paths in the case are relative to the case.
  const Folder elsewhere;
  const Result again = assay_running({"replay", folder.files(".case")[0].string()}, elsewhere.path());
  EXPECT_EQ(again.code, 1) << again.out << again.err;
}

TEST(Report, JsonHasItsFields) {
  const Folder folder;
  const Result result = assay_running({"check", faulty, "--contract", "softmax", "--cases", "240", "--seed",
                                       "5", "--json", "sub/report.json"},
                                      folder.path());
  ASSERT_EQ(result.code, 1) << result.out << result.err;
  const json report = json::parse(content(folder / "sub/report.json"));
  for (const char* key : {"assay", "kernel", "contract", "entries", "dtypes", "where", "relaxed", "seed",
                          "exit_code", "verdict", "interrupted", "seconds", "elements", "gates", "findings"})
    EXPECT_TRUE(report.contains(key)) << key;
  EXPECT_EQ(report["seed"], 5);
  EXPECT_EQ(report["exit_code"], 1);
  ASSERT_EQ(report["gates"].size(), 12u);
  for (const json& gate : report["gates"]) {
    for (const char* key : {"id", "title", "verdict", "cases", "evidence", "reason"})
      EXPECT_TRUE(gate.contains(key)) << key;
    if (gate["verdict"] == "pass") {
      EXPECT_GT(gate["passed"], 0) << gate;
    }
    if (gate["verdict"] == "not applicable") {
      EXPECT_NE(gate["reason"], "") << gate;
    }
  }
  std::set<std::string> signatures;
  for (const json& finding : report["findings"]) {
    for (const char* key : {"signature", "gate", "outcome", "evidence", "case", "original", "replay",
                            "reproduced", "shrinking", "saved"})
      EXPECT_TRUE(finding.contains(key)) << key;
    EXPECT_TRUE(signatures.insert(finding["signature"]).second)
        << "a signature twice: " << finding["signature"];
    EXPECT_TRUE(finding["case"]["dims"].contains("cols"));
  }
}

TEST(Report, JunitIsXmlWithATestCaseEachGate) {
  const Folder folder;
  assay_running({"check", faulty, "--contract", "softmax", "--cases", "240", "--junit", "report.xml"},
                folder.path());
  boost::property_tree::ptree xml;
  boost::property_tree::read_xml((folder / "report.xml").string(), xml);
  const auto& suite = xml.get_child("testsuite");
  int cases = 0, failures = 0;
  for (const auto& [tag, child] : suite) {
    if (tag != "testcase") continue;
    ++cases;
    failures += child.count("failure") > 0;
  }
  EXPECT_EQ(cases, 12);
  EXPECT_EQ(suite.get<int>("<xmlattr>.tests"), 12);
  EXPECT_GT(failures, 0);
  EXPECT_EQ(suite.get<int>("<xmlattr>.failures"), failures);
}

TEST(Report, SameSeedSameFindings) {
  const Folder one, two;
  const std::vector<std::string> words = {"check",   faulty, "--contract", "softmax",
                                          "--cases", "240",  "--json",     "r.json"};
  auto alone = words;
  alone.insert(alone.end(), {"--jobs", "1"});
  assay_running(words, one.path());
  assay_running(alone, two.path());
  const json a = json::parse(content(one / "r.json")), b = json::parse(content(two / "r.json"));
  const auto signatures = [](const json& report) {
    std::set<std::string> all;
    for (const json& finding : report["findings"]) all.insert(finding["signature"]);
    return all;
  };
  EXPECT_EQ(signatures(a), signatures(b));
}

}  // namespace
}  // namespace assay::e2e
