#pragma once

// The check loop: every gate, its share of the cases, one finding for each signature, each confirmed in fresh
// workers and shrunk.
//
// Laws: the cases depend on (subject, seed) alone, not on the number of jobs or the time; a finding that is
// reported was reproduced 3 times of 5 in fresh workers, or is reported as flaky; a gate with no judged case,
// or with fewer than went unanswered, never passes.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gates/gate.h"
#include "properties/confirm.h"
#include "properties/shrink.h"

namespace assay {

using RunnerFactory = std::function<Expected<std::unique_ptr<Runner>>()>;
RunnerFactory runners(const Kernel& kernel);  // worker processes of a built kernel

struct Finding {
  const Gate* gate = nullptr;
  FindingSignature signature;
  Case original;
  Case shrunk;
  Verdict verdict;        // of the shrunk case
  std::int64_t hits = 1;  // cases with this signature
  int reproduced = 0;     // of 5 runs in fresh workers
  Shrunk shrinking;
  double seconds = 0;  // from the start of the check to the shrunk case
};

struct GateReport {
  const Gate* gate = nullptr;
  Outcome outcome = Outcome::not_applicable;  // of the gate as a whole: the worst of its cases
  std::int64_t cases = 0;                     // judged, whatever came of it
  std::int64_t passed = 0;
  std::int64_t undecidable = 0;
  std::int64_t not_applicable = 0;
  std::int64_t unanswered = 0;  // of them, those that the contract asks but no call could be made for
  std::int64_t findings = 0;    // cases that ended in one
  std::string reason;           // why not applicable or undecidable
  double seconds = 0;           // of worker-thread time
};

struct Progress {
  const Gate* gate = nullptr;
  std::int64_t cases = 0;
  std::int64_t total = 0;  // 0 where time is the limit
  double cases_per_second = 0;
  std::int64_t findings = 0;  // distinct
  std::string activity;       // "checking", "confirming", "shrinking"
};

struct CheckOptions {
  std::vector<const Gate*> gates = {};                 // empty: all
  std::int64_t cases = 2000;                           // over all gates, by their weights
  std::optional<std::chrono::milliseconds> time = {};  // go on until then instead
  std::uint64_t seed = 1;
  int jobs = 0;               // worker threads; 0: one a core
  int findings_per_gate = 4;  // distinct signatures kept; a gate that has them stops drawing
  ShrinkBudget shrink = {};
  // At most 10 times a second, from one thread at a time.
  std::function<void(const Progress&)> on_progress = {};
  // Once each, as soon as it is shrunk.
  std::function<void(const Finding&)> on_finding = {};
  const std::atomic<bool>* stop = nullptr;  // finish what was found and return
};

struct CheckReport {
  std::vector<GateReport> gates;
  std::vector<Finding> findings;
  std::uint64_t seed = 0;
  std::int64_t elements = 0;          // judged by value
  std::int64_t elements_by_mpfr = 0;  // of them, those that the filter could not decide
  std::int64_t elements_useless = 0;  // whose budget contains 0 although the truth does not
  Strain strain;                      // of a sample of them, by the statistical tier: no finding
  std::int64_t suspect = 0;           // cases beyond it, and a sentence on one
  std::string suspicion;
  double seconds = 0;
  bool interrupted = false;
  std::string infrastructure;  // set where the check could not go on
  bool misused = false;        // for what the user asked, not for the machine
};

CheckReport check(const Subject& subject, const RunnerFactory& runners, const CheckOptions& options);

// What becomes of a case that failed: confirmed and shrunk, or flaky. `seconds` and `hits` are the caller's.
Finding investigate(const Case& c, const Gate& gate, const Verdict& seen, const Subject& subject,
                    Runner& runner, const ConfirmOptions& options);

// One case under one gate, in fresh workers.
Verdict judge_once(const Case& c, const Gate& gate, const Subject& subject, const RunnerFactory& runners);

// The signature under which a verdict of a case is filed.
FindingSignature signature_of(const Case& c, const Gate& gate, const Verdict& verdict,
                              const Signature& signature);

}  // namespace assay
