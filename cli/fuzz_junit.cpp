// A campaign for CI servers: one suite a kernel, in the JUnit format; each regression is a test case, each
// finding, and the campaign itself.

#include <fmt/format.h>

#include "cli/fuzz_place.h"
#include "cli/fuzz_report.h"
#include "cli/xml.h"

namespace assay::cli {
namespace {

struct Suite {
  std::string cases;
  int tests = 0, failures = 0, errors = 0, skipped = 0;

  void add(const std::string& of, const std::string& name, const std::string& body) {
    ++tests;
    cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\">\n{}    </testcase>\n", xml_text(of),
                         xml_text(name), body);
  }
  void failure(const std::string& of, const std::string& name, std::string_view type,
               std::string_view message, const std::string& text) {
    ++failures;
    add(of, name,
        fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n", xml_text(type),
                    xml_text(message), xml_text(text)));
  }
};

Suite suite_of(const FuzzReport& report, const Target& target, const std::vector<fuzz::Record>& records) {
  Suite suite;
  const std::string contract = target.subject.contract.signature().name;
  for (const Replayed& replayed : report.regressions) {
    if (replayed.target.asked.kernel != target.asked.kernel) continue;
    const std::string test = "regression " + replayed.file.filename().string();
    const Verdict& verdict = replayed.verdict;
    if (is_finding(verdict.outcome)) {
      suite.failure(contract, test, name(verdict.outcome), "fails again", describe(verdict.evidence));
    } else if (verdict.outcome == Outcome::pass) {
      suite.add(contract, test, "");
    } else {
      ++suite.skipped;
      suite.add(contract, test,
                fmt::format("      <skipped message=\"{}\"/>\n", xml_text(describe(verdict.evidence))));
    }
  }
  int fresh = 0;
  for (const fuzz::Record& record : records) {
    const std::string test = fmt::format("finding {}", record.signature);
    if (report.is_new(target, record)) {
      ++fresh;
      suite.failure(contract, test, name(record.verdict.outcome), record.name, finding_text(target, record));
    } else if (record.state != fuzz::State::fixed) {
      ++suite.skipped;
      suite.add(contract, test, "      <skipped message=\"known: in the baseline\"/>\n");
    }
  }
  const fuzz::Statistics& numbers = report.campaign.statistics;
  const std::string campaign = fmt::format("campaign: {} executions", numbers.executions);
  if (report.campaign.failed) {
    ++suite.errors;
    suite.add(contract, campaign,
              fmt::format("      <error message=\"{}\"/>\n", xml_text(report.campaign.ended_by)));
  } else if (fresh == 0) {
    suite.add(contract, campaign, "");
  }
  return suite;
}

}  // namespace

std::string fuzz_junit(const FuzzReport& report) {
  std::string suites;
  for (const auto& [target, records] : report.campaign.findings) {
    const Suite suite = suite_of(report, target, records);
    suites += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
        "time=\"{:.3f}\">\n{}"
        "  </testsuite>\n",
        xml_text(target.asked.kernel.string()), suite.tests, suite.failures, suite.errors, suite.skipped,
        report.campaign.statistics.seconds, suite.cases);
  }
  return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n{}</testsuites>\n", suites);
}

}  // namespace assay::cli
