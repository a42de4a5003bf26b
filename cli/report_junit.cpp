// The report for CI servers: one test case a gate, in the JUnit format.

#include <fmt/format.h>

#include "cli/report.h"
#include "cli/xml.h"

namespace assay::cli {
namespace {

std::string failures(const Report& report, const Gate* gate) {
  std::string text;
  for (const Finding& finding : report.check.findings)
    if (finding.gate == gate)
      text += fmt::format("    <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                          xml_text(name(finding.verdict.outcome)), xml_text(finding.signature.text),
                          xml_text(fmt::format("{}\n{}\n{}", describe(finding.verdict.evidence),
                                               describe(finding.shrunk, report.target.subject),
                                               replay_line(report, finding))));
  return text;
}

}  // namespace

std::string junit_report(const Report& report) {
  const CheckReport& check = report.check;
  std::string cases;
  int failed = 0, skipped = 0, errors = 0;
  for (const GateReport& gate : check.gates) {
    std::string body = failures(report, gate.gate);
    if (!body.empty()) {
      ++failed;
    } else if (not_reached(report, gate)) {
      ++errors;
      body = fmt::format("    <error type=\"not reached\" message=\"{}\"/>\n",
                         xml_text(reason_of(report, gate)));
    } else if (gate.outcome == Outcome::not_applicable) {
      ++skipped;
      body = fmt::format("    <skipped message=\"{}\"/>\n", xml_text(gate.reason));
    } else if (gate.outcome != Outcome::pass) {
      ++errors;
      body = fmt::format("    <error type=\"{}\" message=\"{}\"/>\n", xml_text(name(gate.outcome)),
                         xml_text(gate.reason));
    }
    cases += fmt::format("  <testcase classname=\"{}\" name=\"{} {}\" time=\"{:.3f}\">\n{}  </testcase>\n",
                         xml_text(report.target.subject.contract.signature().name), xml_text(gate.gate->id),
                         xml_text(gate.gate->title), gate.seconds, body);
  }
  if (!check.infrastructure.empty()) {
    ++errors;
    cases += fmt::format(
        "  <testcase classname=\"assay\" name=\"infrastructure\">\n    <error message=\"{}\"/>\n"
        "  </testcase>\n",
        xml_text(check.infrastructure));
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n{}"
      "</testsuite>\n",
      xml_text(report.target.asked.kernel.string()),
      check.gates.size() + (check.infrastructure.empty() ? 0 : 1), failed, errors, skipped, check.seconds,
      cases);
}

}  // namespace assay::cli
