#include "cli/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/command.h"
#include "core/text.h"

namespace assay::cli {
namespace {

// Shortest text that gives the value back where it is one of the dtype, else as many digits as the dtype
// needs.
std::string number(double value, DType dtype) {
  if (std::isnan(value)) return "nan";  // a sign of NaN says nothing
  if (dtype == DType::f64) return fmt::format("{}", value);
  if (static_cast<double>(static_cast<float>(value)) == value)
    return fmt::format("{}", static_cast<float>(value));
  return fmt::format("{:.10g}", value);
}

std::string place(const Evidence& evidence) {
  if (evidence.output.empty()) return "";
  std::vector<std::string> index;
  for (std::int64_t i : evidence.index) index.push_back(fmt::format("{}", i));
  return index.empty() ? evidence.output : fmt::format("{}[{}]", evidence.output, join(index, ", "));
}

// As one word of a shell.
std::string quoted(const std::string& word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (char letter : word) text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

}  // namespace

bool not_reached(const Report& report, const GateReport& gate) {
  return gate.cases + gate.not_applicable == 0 && !gate.gate->not_applicable(report.target.subject);
}

std::string_view verdict_of(const Report& report, const GateReport& gate) {
  return not_reached(report, gate) ? "not reached" : name(gate.outcome);
}

std::string reason_of(const Report& report, const GateReport& gate) {
  if (!not_reached(report, gate)) return gate.reason;
  if (report.check.interrupted) return "interrupted before its first case";
  return report.check.infrastructure.empty() ? "the cases ended before its first one: raise --cases or --for"
                                             : "the check could not go on";
}

std::string counted(std::int64_t n, std::string_view thing) {
  return fmt::format("{} {}{}", n, thing, n == 1 ? "" : "s");
}

const Saved& Report::saved_as(const Finding& finding) const {
  static const Saved none;
  const auto found = saved.find(finding.signature.text);
  return found == saved.end() ? none : found->second;
}

int exit_code(const CheckReport& report) {
  if (report.interrupted) return kInterrupted;
  if (!report.findings.empty()) return kFindings;
  if (!report.infrastructure.empty()) return report.misused ? kUsage : kInfrastructure;
  std::int64_t judged = 0;
  for (const GateReport& gate : report.gates) {
    judged += gate.passed;
    if (gate.outcome == Outcome::undecidable) return kInfrastructure;
  }
  return judged == 0 ? kInfrastructure : kClean;
}

std::string verdict_sentence(const Report& report) {
  const std::string kernel = report.target.asked.kernel.filename().string();
  const std::string contract = report.target.subject.contract.signature().name;
  const CheckReport& check = report.check;
  std::int64_t cases = 0, gates = 0;
  std::vector<std::string> broken, undecided;
  for (const GateReport& gate : check.gates) {
    cases += gate.cases;
    if (gate.outcome == Outcome::undecidable) undecided.emplace_back(gate.gate->id);
    if (is_finding(gate.outcome)) broken.emplace_back(gate.gate->id);
    if (gate.outcome == Outcome::pass) ++gates;
  }
  const std::string interrupted = check.interrupted ? "interrupted: " : "";
  if (!check.findings.empty())
    return fmt::format("{}{} breaks contract {}: {} at {}", interrupted, kernel, contract,
                       counted(static_cast<std::int64_t>(check.findings.size()), "finding"),
                       join(broken, ", "));
  if (!check.infrastructure.empty())
    return fmt::format("{}the check could not go on: {}", interrupted, check.infrastructure);
  if (check.interrupted)
    return fmt::format("interrupted: no finding in {} so far; nothing is proven", counted(cases, "case"));
  if (gates == 0 && undecided.empty()) return fmt::format("nothing was judged: {} has no verdict", kernel);
  if (!undecided.empty())
    return fmt::format("undecidable at {}: {} has no verdict there", join(undecided, ", "), kernel);
  return fmt::format("{} keeps contract {}: {} passed, {}, no finding", kernel, contract,
                     counted(gates, "gate"), counted(cases, "case"));
}

std::string certificate_sentence(const Certificate& c) {
  const std::int64_t all = c.count(Fate::rejected) + c.count(Fate::survived);
  if (all == 0) return "no case was passed, so that no imposter was tried";
  return fmt::format("the cases it passed ({}) reject {} of {}", c.cases, c.count(Fate::rejected),
                     counted(all, "imposter"));
}

std::string replay_line(const Report& report, const Finding& finding) {
  const Saved& saved = report.saved_as(finding);
  const bool on_gpu = report.target.asked.executor == Executor::cuda;
  return saved.path.empty() ? ""
                            : fmt::format("{} replay {}{}", quoted(report.program), quoted(saved.path),
                                          on_gpu ? " --executor cuda" : "");
}

std::vector<std::pair<std::string, std::string>> evidence_lines(const Evidence& e, DType dtype) {
  std::vector<std::pair<std::string, std::string>> lines;
  const std::string where = place(e);
  if (e.got)
    lines.emplace_back("got", number(*e.got, dtype) + (where.empty() ? "" : " at " + where) +
                                  (is_poison(*e.got) ? ", the poison: never written" : ""));
  else if (!where.empty())
    lines.emplace_back("at", where);
  if (e.truth) lines.emplace_back(e.kind == "nondeterminism" ? "otherwise" : "true", number(*e.truth, dtype));
  if (e.low && e.high && (!e.truth || std::isfinite(*e.truth)))
    lines.emplace_back("accepted", *e.low == *e.high ? number(*e.low, dtype)
                                                     : fmt::format("{} to {}", number(*e.low, dtype),
                                                                   number(*e.high, dtype)));
  if (e.excess && std::isfinite(*e.excess))
    lines.emplace_back("error", fmt::format("{:.3g} times the budget", *e.excess));
  if (e.bad_elements > 1) lines.emplace_back("elements", fmt::format("{} are wrong", e.bad_elements));
  if (!e.location.empty()) lines.emplace_back("where", e.location);
  if (!e.detail.empty()) lines.emplace_back("because", e.detail);
  if (lines.empty()) lines.emplace_back("kind", e.kind);
  return lines;
}

}  // namespace assay::cli
