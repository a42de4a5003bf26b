#include "properties/property.h"

#include <fmt/format.h>
#include <rapidcheck.h>

#include <ostream>

#include "core/text.h"
#include "properties/generate.h"
#include "properties/saved_case.h"

namespace assay {
namespace {

Expected<std::vector<const Gate*>> gates_named(const std::vector<std::string>& ids) {
  std::vector<std::string> known;
  for (const Gate* gate : all_gates()) known.emplace_back(gate->id);
  std::vector<const Gate*> gates;
  for (const std::string& id : ids) {
    if (find_gate(id) == nullptr) return usage_error("unknown gate '{}'{}", id, suggestion(id, known));
    gates.push_back(find_gate(id));
  }
  return gates;
}

// Why a check that found nothing is no proof, or nothing.
std::string doubt(const CheckReport& report) {
  if (!report.infrastructure.empty()) return report.infrastructure;
  std::int64_t passed = 0;
  for (const GateReport& gate : report.gates) {
    passed += gate.passed;
    if (gate.outcome == Outcome::undecidable)
      return fmt::format("{}: undecidable: {}", gate.gate->id, gate.reason);
  }
  return passed == 0 ? "no gate could judge a case" : "";
}

Expected<Kept> check_it(const TargetOptions& asked, const KeepsOptions& options) {
  auto gates = gates_named(options.gates);
  if (!gates) return tl::unexpected(gates.error());
  const Expected<Plan> planned = plan(asked);
  if (!planned) return tl::unexpected(planned.error());
  const Expected<Target> target = build(*planned);
  if (!target) return tl::unexpected(target.error());
  CheckOptions check_options;
  check_options.gates = std::move(*gates);
  check_options.cases = options.cases;
  check_options.seed = options.seed;
  const CheckReport report = check(target->subject, runners(target->kernel), check_options);

  Kept kept{false, doubt(report)};
  for (const Finding& finding : report.findings) {
    const auto saved = save_case(options.out, *target, *finding.gate, finding.signature.text, finding.verdict,
                                 finding.shrunk);
    kept.text += fmt::format("{} {}: {}\n  {}\n  case {}\n  saved {}\n", finding.gate->id,
                             finding.gate->title, name(finding.verdict.outcome),
                             describe(finding.verdict.evidence), describe(finding.shrunk, target->subject),
                             saved ? saved->string() : saved.error().message);
  }
  kept.kept = kept.text.empty();
  return kept;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Kept& kept) {
  return out << kept.text;
}

Kept keeps_contract(const std::filesystem::path& kernel, const std::string& contract,
                    const KeepsOptions& options) {
  TargetOptions asked;
  asked.kernel = kernel;
  asked.contract = contract;
  asked.bind = options.bind;
  asked.where = options.where;
  asked.allow = options.allow;
  asked.dtype = options.dtype;
  asked.sandbox = options.sandbox;
  const auto kept = check_it(asked, options);
  return kept ? *kept : Kept{false, kept.error().message};
}

std::function<void()> property(const Target& target, const Gate& gate) {
  const auto runner = std::make_shared<Expected<std::unique_ptr<Runner>>>(runners(target.kernel)());
  return [&target, &gate, runner] {
    if (!*runner) RC_FAIL(runner->error().message);
    const Case c = *cases(target.subject, gate);
    const Verdict verdict = gate.judge(c, target.subject, ***runner);
    if (verdict.outcome == Outcome::not_applicable || verdict.outcome == Outcome::undecidable)
      RC_DISCARD("not judged");
    if (is_finding(verdict.outcome))
      RC_FAIL(fmt::format("{}\n{}", describe(c, target.subject), describe(verdict.evidence)));
  };
}

}  // namespace assay
