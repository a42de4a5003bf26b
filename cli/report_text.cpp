// The report for people.

#include <fmt/format.h>

#include "cli/report.h"
#include "core/text.h"

namespace assay::cli {
namespace {

class Painter {
 public:
  explicit Painter(bool color) : color_(color) {}
  std::string bold(std::string_view text) const { return paint("1", text); }
  std::string good(std::string_view text) const { return paint("32", text); }
  std::string bad(std::string_view text) const { return paint("1;31", text); }
  std::string faint(std::string_view text) const { return paint("2", text); }

 private:
  std::string paint(std::string_view code, std::string_view text) const {
    return color_ ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
  }
  bool color_;
};

// "  key       value", where further lines of the value stand below its first.
std::string field(std::string_view key, std::string_view value) {
  std::string text;
  bool first = true;
  for (const std::string& line : split(value, '\n')) {
    if (trim(line).empty() && !first) continue;
    text += fmt::format("  {:<10} {}\n", first ? key : "", line);
    first = false;
  }
  return text;
}

std::string names_of(const std::vector<DType>& dtypes) {
  std::vector<std::string> names;
  for (DType dtype : dtypes) names.emplace_back(name(dtype));
  return join(names, ", ");
}

std::string head(const Report& report) {
  const Target& target = report.target;
  const Signature& signature = target.subject.contract.signature();
  std::string text;
  text += field("kernel", target.asked.kernel.string());
  std::vector<std::string> entries;
  for (const Binding& binding : target.kernel.bindings)
    entries.push_back(fmt::format("{}  (line {})", to_string(binding, signature), binding.entry.line));
  text += field("entry", join(entries, "\n"));
  text += field("contract", fmt::format("{}: {}", signature.name, target.subject.contract.summary()));
  text += field("dtypes", names_of(target.subject.dtypes));
  if (target.asked.executor == Executor::cuda) text += field("executor", "cuda: " + target.kernel.device);
  if (!target.subject.where.text().empty())
    text += field("domain", fmt::format("narrowed to {}", target.subject.where.text()));
  if (const auto relaxed = names(target.subject.allow); !relaxed.empty())
    text += field("relaxed", join(relaxed, ", "));
  text += field("seed", fmt::format("{}", report.check.seed));
  return text;
}

std::string table(const Report& report, const Painter& paint) {
  std::string text =
      paint.bold(fmt::format("  {:<31} {:<15} {:>7}  {}\n", "gate", "verdict", "cases", "note"));
  for (const GateReport& gate : report.check.gates) {
    const std::string verdict = fmt::format("{:<15}", verdict_of(report, gate));
    std::string note = reason_of(report, gate);
    if (gate.findings > 0) {
      note = fmt::format("{} failed", gate.findings);
    } else if (gate.outcome == Outcome::pass) {
      std::vector<std::string> others;
      if (gate.undecidable > 0) others.push_back(fmt::format("{} undecidable", gate.undecidable));
      if (gate.not_applicable > 0) others.push_back(fmt::format("{} not applicable", gate.not_applicable));
      note = others.empty() ? "" : fmt::format("besides {}: {}", join(others, " and "), gate.reason);
    }
    const std::string line =
        fmt::format("  {:<31} {} {:>7}  {}", fmt::format("{} {}", gate.gate->id, gate.gate->title),
                    is_finding(gate.outcome)        ? paint.bad(verdict)
                    : gate.outcome == Outcome::pass ? paint.good(verdict)
                                                    : paint.faint(verdict),
                    gate.cases, note);
    text += fmt::format("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
  }
  return text;
}

std::string finding_text(const Report& report, const Finding& finding, std::size_t number,
                         const Painter& paint) {
  std::string text = paint.bold(fmt::format("finding {}: {} {}, {}\n", number, finding.gate->id,
                                            finding.gate->title, name(finding.verdict.outcome)));
  text += field("signature", finding.signature.text);
  for (const auto& [key, value] : evidence_lines(finding.verdict.evidence, finding.shrunk.instance.dtype))
    text += field(key, value);
  text += field("case", describe(finding.shrunk, report.target.subject));
  text += field("seen", fmt::format("in {}, {} of 5 fresh runs; small after {:.1f} s and {} ({})",
                                    counted(finding.hits, "case"), finding.reproduced, finding.seconds,
                                    counted(finding.shrinking.steps, "step"), finding.shrinking.stopped_by));
  const Saved& saved = report.saved_as(finding);
  text += field("saved", saved.path.empty() ? "not saved: " + saved.problem : saved.path);
  if (const std::string line = replay_line(report, finding); !line.empty()) text += field("replay", line);
  return text;
}

std::string certificate_text(const Certificate& certificate) {
  std::string lines = certificate_sentence(certificate);
  for (const Tried& tried : certificate.imposters)
    if (tried.fate == Fate::survived)
      lines += fmt::format("\nsurvivor: {} ({})", tried.fault, counted(tried.cases, "case"));
  for (const Tried& tried : certificate.imposters)
    if (tried.fate == Fate::equal)
      lines += fmt::format("\nno imposter, as far as cases show: {}", tried.fault);
  if (const std::int64_t n = certificate.count(Fate::untried); n > 0)
    lines += fmt::format("\nnot tried, for want of time: {}", counted(n, "imposter"));
  return field("worth", lines) + "\n";
}

}  // namespace

std::string text_report(const Report& report, bool color) {
  const Painter paint(color);
  std::string text = head(report) + "\n" + table(report, paint) + "\n";
  for (std::size_t i = 0; i < report.check.findings.size(); ++i)
    text += finding_text(report, report.check.findings[i], i + 1, paint) + "\n";
  if (report.certificate) text += certificate_text(*report.certificate);
  const CheckReport& check = report.check;
  text += fmt::format("built in {:.1f} s, checked in {:.1f} s", report.build_seconds, check.seconds);
  if (check.elements > 0)
    text += fmt::format(
        "; {} elements judged, {:.2f} % by MPFR", check.elements,
        100.0 * static_cast<double>(check.elements_by_mpfr) / static_cast<double>(check.elements));
  text += "\n";
  if (check.suspect > 0)
    text += fmt::format("suspect, though allowed, in {} {}: {}\n", check.suspect,
                        check.suspect == 1 ? "case" : "cases", check.suspicion);
  if (!check.infrastructure.empty() && !check.findings.empty())
    text += fmt::format("the check could not go on: {}\n", check.infrastructure);
  const std::string sentence = verdict_sentence(report);
  text += (check.findings.empty() ? paint.bold(sentence) : paint.bad(sentence)) + "\n";
  return text;
}

}  // namespace assay::cli
