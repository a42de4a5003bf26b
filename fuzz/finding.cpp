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
#include "properties/saved_case.h"

namespace assay::fuzz {
namespace {

constexpr std::array<std::string_view, 5> kStates = {"new", "confirmed", "flaky", "fixed", "regressed"};

constexpr int kConfirmations = 5;
constexpr int kReproductions = 3;

// Shrinking a crash restarts a process for each candidate that still fails; a hang waits for its deadline.
constexpr std::chrono::milliseconds kCrashShrinkTime{10000};
constexpr std::chrono::milliseconds kHangDeadline{250};

// Another runner with shorter deadlines: once a kernel is known to hang there is no need to wait long.
class ImpatientRunner final : public Runner {
 public:
  explicit ImpatientRunner(Runner& runner) : runner_(runner) {}
  RunResult run(const Launch& launch, Build build) override {
    Launch shorter = launch;
    shorter.deadline = std::min(shorter.deadline, kHangDeadline);
    return runner_.run(shorter, build);
  }
  SparseResult run_sparse(const SparseLaunch& launch) override { return runner_.run_sparse(launch); }
  void restart() override { runner_.restart(); }

 private:
  Runner& runner_;
};

// One report on its way to a record.
class Triage {
 public:
  Triage(const Gate& gate, const Target& target, Runner& runner, const TriageOptions& options)
      : gate_(gate), target_(target), runner_(runner), options_(options) {}

  void run(Record& record) {
    confirm(record);
    if (record.state != State::confirmed) return;
    ImpatientRunner impatient(runner_);
    Runner& trial = record.verdict.outcome == Outcome::hung ? static_cast<Runner&>(impatient) : runner_;
    shrink(record, trial);
    if (stopped()) return;
    // Any extents and dtype: what is to be told is on which of them it depends.
    const std::string kind = record.verdict.evidence.kind;
    record.explanation = explain(record.shrunk, target_.subject, {}, [&](const Case& c) {
      if (stopped()) return false;
      const Verdict verdict = gate_.judge(c, target_.subject, trial);
      return is_finding(verdict.outcome) && verdict.evidence.kind == kind;
    });
  }

 private:
  bool stopped() const { return (options_.stop && *options_.stop) || waiting_is_given_up(); }

  bool same(const Record& record, const Case& c, const Verdict& verdict) const {
    return is_finding(verdict.outcome) &&
           signature_of(c, gate_, verdict, target_.subject.contract.signature()).text == record.signature;
  }

  void confirm(Record& record) {
    record.verdict.outcome = Outcome::flaky;
    for (int i = 0; i < kConfirmations; ++i) {
      if (stopped()) return;
      runner_.restart();
      Verdict verdict = gate_.judge(record.original, target_.subject, runner_);
      if (is_infrastructure(verdict)) {
        record.verdict = std::move(verdict);
        return;
      }
      if (!same(record, record.original, verdict)) continue;
      ++record.reproduced;
      record.verdict = std::move(verdict);
      // A hang is waited for no more often than it takes.
      if (record.verdict.outcome == Outcome::hung && record.reproduced == kReproductions) break;
    }
    record.state = record.reproduced >= kReproductions ? State::confirmed : State::flaky;
    if (record.state == State::confirmed) return;
    Evidence& evidence = record.verdict.evidence;
    record.verdict.outcome = Outcome::flaky;
    evidence.detail += fmt::format("{}seen once, then in {} of {} runs in fresh processes",
                                   evidence.detail.empty() ? "" : "; ", record.reproduced, kConfirmations);
  }

  void shrink(Record& record, Runner& trial) {
    ShrinkBudget budget = options_.shrink;
    if (record.verdict.outcome == Outcome::crashed) budget.time = std::min(budget.time, kCrashShrinkTime);
    record.shrinking = minimise(record.original, target_.subject, budget, [&](const Case& candidate) {
      return !stopped() && same(record, candidate, gate_.judge(candidate, target_.subject, trial));
    });
    if (stopped()) record.shrinking.stopped_by = "interrupted";
    // What is kept must fail on its own, in fresh processes and with the usual deadline.
    runner_.restart();
    Verdict last = gate_.judge(record.shrinking.smallest, target_.subject, runner_);
    if (same(record, record.shrinking.smallest, last)) {
      record.shrunk = record.shrinking.smallest;
      record.verdict = std::move(last);
      return;
    }
    record.shrinking.smallest = record.original;
    if (!stopped()) record.shrinking.stopped_by = "the smaller case failed only after others had run";
  }

  const Gate& gate_;
  const Target& target_;
  Runner& runner_;
  const TriageOptions& options_;
};

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
  record.shrinking = Shrunk{found, 0, 0, "not reproduced"};
  record.kernel_hash = target.kernel.content_hash;
  record.first_seen = record.last_seen = utc_now();
  auto runner = runners();
  if (!runner)
    record.verdict = infrastructure(runner.error().message);
  else
    Triage(gate, target, **runner, options).run(record);
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
