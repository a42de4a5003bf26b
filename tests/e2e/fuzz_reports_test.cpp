// A campaign in CI, from its first finding to the repair: baseline, reports, regressions, pruning, coverage.

#include <gtest/gtest.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/e2e/program.h"

namespace assay::e2e {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string kernel_with(const std::string& body) {
  return "__global__ void max_rows(const float* x, float* y, int rows, int cols) {\n"
         "  int r = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (r >= rows) return;\n"
         "  float best = x[r * cols];\n"
         "  for (int j = 1; j < cols; ++j)\n"
         "    " +
         body +
         "\n"
         "  y[r] = best;\n"
         "}\n"
         "extern \"C\" void solve(const float* x, float* y, int rows, int cols) {\n"
         "  if (rows > 1000000)\n"
         "    rows = 1000000;\n"
         "  if (rows > 0)\n"
         "    max_rows<<<(rows + 63) / 64, 64>>>(x, y, rows, cols);\n"
         "}\n";
}
const std::string kFaulty = kernel_with("best = fmaxf(best, x[r * cols + j]);");
const std::string kRight =
    kernel_with("if (!(x[r * cols + j] <= best) && !isnan(best)) best = x[r * cols + j];");

std::vector<std::string> fuzz(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"fuzz", "max.cu", "--contract", "max",     "--ci", "--runs",
                                        "400",  "--jobs", "1",          "--state", "state"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// What the schema of SARIF 2.1.0 demands of the parts that are used.
void expect_sarif(const json& log) {
  EXPECT_EQ(log.at("version"), "2.1.0");
  EXPECT_TRUE(log.at("$schema").get<std::string>().ends_with("sarif-2.1.0.json"));
  ASSERT_EQ(log.at("runs").size(), 1u);
  const json& run = log["runs"][0];
  const json& driver = run.at("tool").at("driver");
  EXPECT_EQ(driver.at("name"), "assay");
  std::set<std::string> ids;
  for (const json& rule : driver.at("rules")) {
    EXPECT_TRUE(ids.insert(rule.at("id")).second) << "twice: " << rule;
    EXPECT_FALSE(rule.at("shortDescription").at("text").get<std::string>().empty());
    EXPECT_FALSE(rule.at("fullDescription").at("text").get<std::string>().empty());
  }
  EXPECT_EQ(ids.size(), 12u);
  EXPECT_TRUE((std::set<std::string>{"utf16CodeUnits", "unicodeCodePoints"}).contains(run.at("columnKind")));
  for (const json& invocation : run.at("invocations"))
    EXPECT_TRUE(invocation.at("executionSuccessful").is_boolean());
  for (const json& result : run.at("results")) {
    EXPECT_FALSE(result.at("message").at("text").get<std::string>().empty());
    EXPECT_EQ(driver["rules"].at(result.at("ruleIndex").get<std::size_t>())["id"], result.at("ruleId"));
    EXPECT_TRUE((std::set<std::string>{"none", "note", "warning", "error"}).contains(result.at("level")));
    EXPECT_TRUE((std::set<std::string>{"new", "unchanged", "updated", "absent"})
                    .contains(result.at("baselineState")));
    EXPECT_TRUE(result.at("partialFingerprints").at("assaySignature/v1").is_string());
    ASSERT_EQ(result.at("locations").size(), 1u);
    const json& place = result["locations"][0].at("physicalLocation");
    EXPECT_EQ(place.at("artifactLocation").at("uri").get<std::string>().find(' '), std::string::npos);
    EXPECT_GE(place.at("region").at("startLine").get<int>(), 1);
  }
}

TEST(FuzzInCi, FollowsAFindingFromTheFirstRunToItsRepair) {
  const Folder folder;
  folder.write("max.cu", kFaulty);
  fs::create_directories(folder / "known");

  // New: everything says so.
  ::setenv("GITHUB_ACTIONS", "true", 1);
  const Result first = assay_running(
      fuzz({"--baseline", "known", "--sarif", "f.sarif", "--junit", "f.xml", "--json", "f.json"}),
      folder.path());
  ::unsetenv("GITHUB_ACTIONS");
  ASSERT_EQ(first.code, 1) << first.out << first.err;
  EXPECT_NE(first.out.find("::error file=max.cu,line=9,title=EXC-01 non-finite::nan at y["),
            std::string::npos)
      << first.out;
  const json sarif = json::parse(content(folder / "f.sarif"));
  expect_sarif(sarif);
  const json& results = sarif["runs"][0]["results"];
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0]["ruleId"], "EXC-01");
  EXPECT_EQ(results[0]["level"], "error");
  EXPECT_EQ(results[0]["partialFingerprints"]["assaySignature/v1"], "max/max/EXC-01/nan/f32");
  EXPECT_EQ(results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "max.cu");
  boost::property_tree::ptree junit;
  boost::property_tree::read_xml((folder / "f.xml").string(), junit);
  EXPECT_EQ(junit.get<int>("testsuites.testsuite.<xmlattr>.failures"), 1);
  const json report = json::parse(content(folder / "f.json"));
  ASSERT_EQ(report["findings"].size(), 1u);
  EXPECT_EQ(report["findings"][0]["new"], true);
  EXPECT_EQ(report["findings"][0]["state"], "confirmed");
  EXPECT_EQ(report["exit_code"], 1);

  // Its files: a case that replays, and a program.
  const fs::path findings = folder / "state" / "max" / "findings";
  const std::string name = report["findings"][0]["name"];
  EXPECT_EQ(assay_running({"replay", (findings / (name + ".case")).string()}, folder.path()).code, 1);
  EXPECT_NE(content(findings / (name + ".cu")).find("#include \"../../../max.cu\""), std::string::npos);

  // Known: no failure.
  fs::copy(findings / (name + ".case"), folder / "known" / "accepted.case");
  const Result known =
      assay_running(fuzz({"--baseline", "known", "--sarif", "f.sarif", "--junit", "f.xml"}), folder.path());
  EXPECT_EQ(known.code, 0) << known.out << known.err;
  const json unchanged = json::parse(content(folder / "f.sarif"));
  expect_sarif(unchanged);
  EXPECT_EQ(unchanged["runs"][0]["results"][0]["level"], "note");
  EXPECT_EQ(unchanged["runs"][0]["results"][0]["baselineState"], "unchanged");
  boost::property_tree::read_xml((folder / "f.xml").string(), junit);
  EXPECT_EQ(junit.get<int>("testsuites.testsuite.<xmlattr>.failures"), 0);
  EXPECT_EQ(junit.get<int>("testsuites.testsuite.<xmlattr>.skipped"), 1);

  // Repaired: the finding is fixed, its case a regression test that passes.
  folder.write("max.cu", kRight);
  fs::remove(folder / "known" / "accepted.case");
  fs::create_directories(folder / "known" / "regressions");
  fs::copy(findings / (name + ".case"), folder / "known" / "regressions" / "nan.case");
  const Result repaired = assay_running(fuzz({"--baseline", "known", "--json", "f.json"}), folder.path());
  EXPECT_EQ(repaired.code, 0) << repaired.out << repaired.err;
  const json after = json::parse(content(folder / "f.json"));
  EXPECT_EQ(after["findings"][0]["state"], "fixed");
  ASSERT_EQ(after["regressions"].size(), 1u);
  EXPECT_EQ(after["regressions"][0]["outcome"], "pass");
  EXPECT_TRUE(fs::exists(folder / "state" / "max" / "regressions" / (name + ".case")));

  // Broken again: the regression fails before the fuzzing begins.
  folder.write("max.cu", kFaulty);
  const Result again = assay_running(fuzz({"--baseline", "known", "--json", "f.json"}), folder.path());
  EXPECT_EQ(again.code, 1) << again.out << again.err;
  const json broken = json::parse(content(folder / "f.json"));
  EXPECT_EQ(broken["regressions"][0]["outcome"], "violated");
  EXPECT_EQ(broken["findings"][0]["state"], "regressed");
}

TEST(FuzzInCi, RefusesABaselineThatIsNone) {
  const Folder folder;
  folder.write("max.cu", kFaulty);
  const Result missing = assay_running(fuzz({"--baseline", "nowhere"}), folder.path());
  EXPECT_EQ(missing.code, 2);
  EXPECT_NE(missing.err.find("nowhere: no such folder"), std::string::npos) << missing.err;
  folder.write("known/odd.json", "{}");
  const Result odd = assay_running(fuzz({"--baseline", "known"}), folder.path());
  EXPECT_EQ(odd.code, 2);
  EXPECT_NE(odd.err.find("odd.json"), std::string::npos) << odd.err;
}

TEST(Corpus, IsPrunedAndItsCoverageShown) {
  const Folder folder;
  folder.write("max.cu", kRight);
  ASSERT_EQ(assay_running(fuzz({}), folder.path()).code, 0);

  const Result pruned = assay_running({"prune", "state"}, folder.path());
  ASSERT_EQ(pruned.code, 0) << pruned.out << pruned.err;
  EXPECT_NE(pruned.out.find(" entries, "), std::string::npos) << pruned.out;
  EXPECT_NE(pruned.out.find(" features before and after"), std::string::npos) << pruned.out;
  const Result again = assay_running({"prune", "state/max/corpus"}, folder.path());
  EXPECT_EQ(again.code, 0) << again.err;

  const Result covered =
      assay_running({"coverage", "max.cu", "--state", "state", "--json", "lines.json"}, folder.path());
  ASSERT_EQ(covered.code, 0) << covered.out << covered.err;
  const json lines = json::parse(content(folder / "lines.json"));
  EXPECT_GT(lines["cases"], 0);
  EXPECT_EQ(lines["never"], json::array({11})) << covered.out;
  EXPECT_NE(covered.out.find("never    11 |     rows = 1000000;"), std::string::npos) << covered.out;
  EXPECT_GE(lines["lines_reached"], 8);
  EXPECT_NE(covered.out.find(" lines reached"), std::string::npos) << covered.out;

  EXPECT_EQ(assay_running({"prune", "nowhere"}, folder.path()).code, 2);
  const Result homeless = assay_running({"prune", "."}, folder.path());
  EXPECT_EQ(homeless.code, 2);
  EXPECT_NE(homeless.err.find("--kernel"), std::string::npos) << homeless.err;
  const Result other = assay_running({"coverage", "other.cu", "--state", "state"}, folder.path());
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("max.cu"), std::string::npos) << other.err;
}

}  // namespace
}  // namespace assay::e2e
