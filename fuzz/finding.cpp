#include "fuzz/finding.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/file.h"
#include "core/random.h"
#include "core/reproducer.h"
#include "gates/execute.h"
#include "kernels/process.h"
#include "properties/confirm.h"
#include "properties/saved_case.h"

namespace assay::fuzz {
namespace {

constexpr std::array<std::string_view, 5> kStates = {"new", "confirmed", "flaky", "fixed", "regressed"};

}  // namespace

std::string_view name(State state) {
  return kStates[static_cast<std::size_t>(state)];
}

std::optional<State> parse_state(std::string_view text) {
  const auto found = std::find(kStates.begin(), kStates.end(), text);
  if (found == kStates.end()) return std::nullopt;
  return static_cast<State>(found - kStates.begin());
}

std::string name_of(const Target& target, const Gate& gate, std::string_view signature) {
  std::uint64_t hash = 0;
  for (char letter : signature) hash = mix(hash ^ static_cast<unsigned char>(letter));
  return fmt::format("{}-{}-{:08x}", target.asked.kernel.stem().string(), gate.id, hash >> 32);
}

std::string utc_now() {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

Expected<std::filesystem::path> report(const std::filesystem::path& inbox, const Target& target,
                                       const Gate& gate, const std::string& signature, const Verdict& verdict,
                                       const Case& test) {
  return save_case(inbox, target, gate, signature, verdict, test);
}

Expected<RawReport> read_report(const std::filesystem::path& file, const Target& target) {
  const Expected<std::string> text = read_file(file);
  if (!text) return tl::unexpected(text.error());
  const Signature& signature = target.subject.contract.signature();
  Expected<Reproducer> r = parse_reproducer(*text, file.string(), signature);
  if (!r) return tl::unexpected(r.error());
  const Gate* gate = find_gate(r->gate);
  if (gate == nullptr) return usage_error("{}: gate: unknown gate '{}'", file.string(), r->gate);
  r->test.contract = signature.name;
  return RawReport{file, std::move(r->test), gate, std::move(r->signature)};
}

Record triage(const Case& found, const Gate& gate, const std::string& signature, const Target& target,
              const RunnerFactory& runners, const TriageOptions& options) {
  Record record;
  record.name = name_of(target, gate, signature);
  record.signature = signature;
  record.gate = gate.id;
  record.original = record.shrunk = found;
  record.kernel_hash = target.kernel.content_hash;
  record.first_seen = record.last_seen = utc_now();
  auto runner = runners();
  if (!runner) {
    record.verdict = infrastructure(runner.error().message);
    return record;
  }
  Confirmation confirmation = confirm(found, gate, signature, {Outcome::flaky, {}}, target.subject, **runner,
                                      {options.shrink, options.stop, {}});
  record.reproduced = confirmation.reproduced;
  record.verdict = std::move(confirmation.verdict);
  record.shrinking = std::move(confirmation.shrinking);
  record.shrunk = record.shrinking.smallest;
  const auto stopped = [&] { return (options.stop && *options.stop) || waiting_is_given_up(); };
  if (confirmation.confirmed)
    record.state = State::confirmed;
  else if (!is_infrastructure(record.verdict) && !stopped())
    record.state = State::flaky;
  if (record.state != State::confirmed || stopped()) return record;
  ImpatientRunner impatient(**runner);
  Runner& trial = record.verdict.outcome == Outcome::hung ? static_cast<Runner&>(impatient) : **runner;
  // Any extents and dtype: what is to be told is on which of them it depends.
  const std::string kind = record.verdict.evidence.kind;
  record.explanation = explain(record.shrunk, target.subject, {}, [&](const Case& c) {
    if (stopped()) return false;
    const Verdict verdict = gate.judge(c, target.subject, trial);
    return is_finding(verdict.outcome) && verdict.evidence.kind == kind;
  });
  return record;
}

State recheck(const Record& record, const Target& target, const RunnerFactory& runners) {
  const Gate* gate = find_gate(record.gate);
  if (gate == nullptr || record.kernel_hash == target.kernel.content_hash) return record.state;
  const bool flaky = record.state == State::flaky || record.state == State::fresh;
  int failed = 0, passed = 0;
  for (int i = 0; i < kConfirmations; ++i) {
    const Verdict verdict = judge_once(record.shrunk, *gate, target.subject, runners);
    failed += is_finding(verdict.outcome);
    passed += verdict.outcome == Outcome::pass;
    if (failed == kReproductions || (failed > 0 && !flaky)) break;
  }
  if (record.state == State::fixed) return failed > 0 ? State::regressed : State::fixed;
  // That one which fails now and then passes five times says nothing.
  if (flaky) return failed >= kReproductions ? State::confirmed : record.state;
  return passed == kConfirmations ? State::fixed : record.state;
}

}  // namespace assay::fuzz
