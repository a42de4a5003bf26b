#pragma once

// From a case that failed once to a finding: it fails again in fresh workers, and so does its smallest form.
//
// Laws: what is confirmed failed 3 times of 5, each time with its signature and in fresh workers; what is
// kept as smallest failed by itself in fresh workers with the usual deadline, else the original is kept. A
// kernel that is known to hang is not waited for as long as the first time.

#include <atomic>
#include <chrono>
#include <functional>
#include <string>

#include "properties/shrink.h"

namespace assay {

constexpr int kConfirmations = 5;
constexpr int kReproductions = 3;  // of them

// Another runner with shorter deadlines.
class ImpatientRunner final : public Runner {
 public:
  static constexpr std::chrono::milliseconds kDeadline{250};

  explicit ImpatientRunner(Runner& runner) : runner_(runner) {}
  RunResult run(const Launch& launch, Build build) override;
  SparseResult run_sparse(const SparseLaunch& launch) override { return runner_.run_sparse(launch); }
  void restart() override { runner_.restart(); }
  std::span<const std::uint8_t> branches() const override { return runner_.branches(); }

 private:
  Runner& runner_;
};

struct Confirmation {
  int reproduced = 0;  // of kConfirmations
  Verdict verdict;     // of the smallest case; flaky, or the infrastructure's, where it is not confirmed
  Shrunk shrinking;    // its smallest is the original where nothing smaller failed by itself
  bool confirmed = false;
};

struct ConfirmOptions {
  ShrinkBudget shrink = {};  // cut where every candidate costs a process (crashes) or a deadline (hangs)
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const char* activity)> on_activity = {};  // "confirming", "shrinking"
};

// `seen` is the verdict of the case when it was found, as far as it is known.
Confirmation confirm(const Case& c, const Gate& gate, const std::string& signature, const Verdict& seen,
                     const Subject& subject, Runner& runner, const ConfirmOptions& options);

}  // namespace assay
