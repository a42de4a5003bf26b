// The report for CI servers: one test case a gate, in the JUnit format.

#include <fmt/format.h>

#include "cli/report.h"

namespace assay::cli {
namespace {

std::string escape(std::string_view text) {
  std::string result;
  for (char letter : text) {
    switch (letter) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\n':
        result += "&#10;";
        break;
      default:
        // XML 1.0 has no control characters, and what a kernel prints may be no UTF-8.
        result += static_cast<unsigned char>(letter) < 0x20 || static_cast<unsigned char>(letter) > 0x7e
                      ? '?'
                      : letter;
    }
  }
  return result;
}

std::string failures(const Report& report, const Gate* gate) {
  std::string text;
  for (const Finding& finding : report.check.findings)
    if (finding.gate == gate)
      text += fmt::format(
          "    <failure type=\"{}\" message=\"{}\">{}</failure>\n", escape(name(finding.verdict.outcome)),
          escape(finding.signature.text),
          escape(fmt::format("{}\n{}\n{}", describe(finding.verdict.evidence),
                             describe(finding.shrunk, report.target.subject), replay_line(report, finding))));
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
      body =
          fmt::format("    <error type=\"not reached\" message=\"{}\"/>\n", escape(reason_of(report, gate)));
    } else if (gate.outcome == Outcome::not_applicable) {
      ++skipped;
      body = fmt::format("    <skipped message=\"{}\"/>\n", escape(gate.reason));
    } else if (gate.outcome != Outcome::pass) {
      ++errors;
      body = fmt::format("    <error type=\"{}\" message=\"{}\"/>\n", escape(name(gate.outcome)),
                         escape(gate.reason));
    }
    cases += fmt::format("  <testcase classname=\"{}\" name=\"{} {}\" time=\"{:.3f}\">\n{}  </testcase>\n",
                         escape(report.target.subject.contract.signature().name), escape(gate.gate->id),
                         escape(gate.gate->title), gate.seconds, body);
  }
  if (!check.infrastructure.empty()) {
    ++errors;
    cases += fmt::format(
        "  <testcase classname=\"assay\" name=\"infrastructure\">\n    <error message=\"{}\"/>\n"
        "  </testcase>\n",
        escape(check.infrastructure));
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n{}"
      "</testsuite>\n",
      escape(report.target.asked.kernel.string()),
      check.gates.size() + (check.infrastructure.empty() ? 0 : 1), failed, errors, skipped, check.seconds,
      cases);
}

}  // namespace assay::cli
