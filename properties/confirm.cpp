#include "properties/confirm.h"

#include <fmt/format.h>

#include <algorithm>

#include "gates/execute.h"
#include "kernels/process.h"
#include "properties/check.h"

namespace assay {
namespace {

// Shrinking a crash restarts a process for each candidate that still fails, as every huge case does; a hang
// waits for its deadline.
constexpr std::chrono::milliseconds kCrashShrinkTime{5000};
constexpr std::chrono::milliseconds kHangShrinkTime{2000};

class Confirming {
 public:
  Confirming(const Case& c, const Gate& gate, const std::string& signature, const Subject& subject,
             Runner& runner, const ConfirmOptions& options)
      : case_(c),
        gate_(gate),
        signature_(signature),
        subject_(subject),
        runner_(runner),
        impatient_(runner),
        options_(options) {}

  Confirmation work(const Verdict& seen) {
    result_.verdict = seen;
    result_.shrinking = Shrunk{case_, 0, 0, "not reproduced"};
    tell("confirming");
    if (!reproduce()) return std::move(result_);
    if (!result_.confirmed) {
      if (waiting_is_given_up()) {
        result_.shrinking.stopped_by = "interrupted";
        return std::move(result_);
      }
      Evidence& evidence = result_.verdict.evidence;
      result_.verdict.outcome = Outcome::flaky;
      evidence.detail += fmt::format("{}seen once, then in {} of {} runs in fresh processes",
                                     evidence.detail.empty() ? "" : "; ", result_.reproduced, kConfirmations);
      return std::move(result_);
    }
    tell("shrinking");
    shrink();
    return std::move(result_);
  }

 private:
  bool stopped() const { return (options_.stop && *options_.stop) || waiting_is_given_up(); }
  void tell(const char* activity) const {
    if (options_.on_activity) options_.on_activity(activity);
  }
  bool hangs() const { return result_.verdict.outcome == Outcome::hung; }
  Runner& trial() { return hangs() ? static_cast<Runner&>(impatient_) : runner_; }
  bool same(const Case& c, const Verdict& verdict) const {
    return is_finding(verdict.outcome) &&
           signature_of(c, gate_, verdict, subject_.contract.signature()).text == signature_;
  }

  // False where the machine could not say.
  bool reproduce() {
    for (int i = 0; i < kConfirmations && !waiting_is_given_up(); ++i) {
      // A hang is waited for no more often than it takes.
      if (hangs() && result_.reproduced == kReproductions) break;
      Runner& runner = trial();
      runner.restart();
      Verdict verdict = gate_.judge(case_, subject_, runner);
      if (is_infrastructure(verdict) && !waiting_is_given_up()) {
        result_.verdict = std::move(verdict);
        return false;
      }
      if (!same(case_, verdict)) continue;
      ++result_.reproduced;
      result_.verdict = std::move(verdict);
    }
    result_.confirmed = result_.reproduced >= kReproductions;
    return true;
  }

  void shrink() {
    constexpr std::string_view kPast = "/past 2^31";  // end of the signature of a huge case
    ShrinkBudget budget = options_.shrink;
    if (result_.verdict.outcome == Outcome::crashed || signature_.ends_with(kPast))
      budget.time = std::min(budget.time, kCrashShrinkTime);
    if (hangs()) budget.time = std::min(budget.time, kHangShrinkTime);
    bool interrupted = false;
    Runner& runner = trial();
    result_.shrinking = minimise(case_, subject_, budget, [&](const Case& candidate) {
      interrupted |= stopped();
      return !interrupted && same(candidate, gate_.judge(candidate, subject_, runner));
    });
    if (interrupted) result_.shrinking.stopped_by = "interrupted";
    runner_.restart();
    Verdict last = gate_.judge(result_.shrinking.smallest, subject_, runner_);
    if (same(result_.shrinking.smallest, last)) {
      result_.verdict = std::move(last);
      return;
    }
    result_.shrinking.smallest = case_;
    result_.shrinking.stopped_by =
        waiting_is_given_up() ? "interrupted" : "the smaller case failed only after others had run";
  }

  const Case& case_;
  const Gate& gate_;
  const std::string& signature_;
  const Subject& subject_;
  Runner& runner_;
  ImpatientRunner impatient_;
  const ConfirmOptions& options_;
  Confirmation result_;
};

}  // namespace

RunResult ImpatientRunner::run(const Launch& launch, Build build) {
  Launch shorter = launch;
  shorter.deadline = std::min(shorter.deadline, kDeadline);
  return runner_.run(shorter, build);
}

Confirmation confirm(const Case& c, const Gate& gate, const std::string& signature, const Verdict& seen,
                     const Subject& subject, Runner& runner, const ConfirmOptions& options) {
  return Confirming(c, gate, signature, subject, runner, options).work(seen);
}

}  // namespace assay
