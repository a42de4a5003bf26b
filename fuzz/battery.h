#pragma once

// One execution of the fuzzer: a case on the kernel, seen by as many gates as it costs little to ask.
//
// A run under the sanitizers, and the output judged; of a case that showed something new, that looks wrong,
// or whose turn it is by its hash, a second run that differs in everything that a right kernel cannot see
// (poison, schedule, addresses). That decides at once what RES-01, RES-02, ORD-02, the exact, the class and
// the value gates would say in nearly all cases. Of a few cases, by their hash, one gate is asked in full.
// Whatever looks wrong is put to the gates themselves, the owner first: a finding is always (gate, case) with
// `gate.judge(case)` a finding, so it replays.
//
// Up to kJudged elements of an output are judged, all of them where there are no more. Of larger ones: the
// first and the last row, the rows around planted values, the extremes, a few of each unusual class (NaN,
// infinities, zeros, subnormals), and rows picked by the case's hash; kJudgedAgain in all where the first
// run showed nothing new.
//
// Law: what is observed is a function of the case, and of whether it is new, up to the kernel's own state.

#include <cstdint>
#include <functional>
#include <vector>

#include "fuzz/menu.h"

namespace assay::fuzz {

constexpr std::int64_t kJudged = 512, kJudgedAgain = 192;

// What there was to see, for guidance and for statistics.
struct Observation {
  bool in_domain = false;  // and affordable; else nothing ran
  Outcome outcome = Outcome::pass;
  const Gate* gate = nullptr;  // of a finding
  Verdict verdict;
  std::vector<OutputReport> outputs;   // of the first run, by output; empty where it brought none
  std::vector<std::uint8_t> branches;  // which the kernel took in any of the runs
  bool broken = false;                 // no worker could be started: `verdict` says why
  std::uint64_t kernel_nanoseconds = 0;
  std::uint64_t oracle_nanoseconds = 0;
};

class Battery {
 public:
  // Both outlive it.
  Battery(const Menu& menu, Runner& runner);

  // Whether what the first run showed is new. Without it every case is.
  using IsNew = std::function<bool(const Observation&)>;
  Observation observe(const Case& c, const IsNew& is_new = {});

  std::int64_t runs() const { return runs_; }  // of the kernel, so far

 private:
  class Seen;
  friend class Seen;

  const Menu& menu_;
  Runner& runner_;
  std::int64_t runs_ = 0;
  int hangs_ = 0;
};

}  // namespace assay::fuzz
