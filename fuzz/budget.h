#pragma once

// A fixed number of executions without libFuzzer and without its build of the kernel: what CI spends on each
// kernel that is known to be right. So few would hardly outlast the seeds of a campaign, so that nothing is
// lost but the time to build and to start.
//
// Law: the cases depend on (menu, seed) alone.

#include <atomic>
#include <optional>

#include "fuzz/battery.h"

namespace assay::fuzz {

struct Spent {
  std::int64_t executions = 0;
  // The first case that a gate calls a finding, and what it says. The executions end there.
  std::optional<Case> found;
  const Gate* gate = nullptr;
  Verdict verdict;
  bool broken = false;  // no worker could be started: `verdict` says why
};

// What the gates draw, and children of what was drawn before, in turns.
Spent spend(const Menu& menu, Runner& runner, std::int64_t executions, std::uint64_t seed,
            const std::atomic<bool>* stop = nullptr);

}  // namespace assay::fuzz
