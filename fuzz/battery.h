#pragma once

// One execution of the fuzzer: a case on the kernel, seen by as many gates as it costs little to ask.
//
// Two runs under the sanitizers that differ in everything that a right kernel cannot see (poison, schedule,
// addresses), every output element judged: that decides at once what RES-01, ORD-02, the exact, the class and
// the value gates would say in nearly all cases. One gate more, picked by the case's hash among those that
// could have drawn it, is asked in full. Whatever looks wrong is put to the gates themselves, the owner
// first: a finding is always (gate, case) with `gate.judge(case)` a finding, so it replays.
//
// Law: what is observed is a function of the case alone, up to the kernel's own state.

#include <cstdint>
#include <optional>
#include <vector>

#include "gates/gate.h"

namespace assay::fuzz {

// Whether the gate's generator could have made such a case: dtype, fills, orders, plants, offsets. Extents
// decide only between gates that differ in nothing else.
bool could_draw(const Gate& gate, const Case& c, const Subject& subject);

// What there was to see, for guidance and for statistics.
struct Observation {
  bool in_domain = false;  // else nothing ran
  Outcome outcome = Outcome::pass;
  const Gate* gate = nullptr;  // of a finding
  Verdict verdict;
  std::vector<OutputReport> outputs;   // of the first run, by output; empty where it brought none
  std::vector<std::uint8_t> classes;   // by output: bit 0 finite, 1 zero, 2 +Inf, 3 -Inf, 4 NaN, 5 subnormal
  std::vector<std::uint8_t> branches;  // the kernel's own counters, 8 bit, summed over the runs and saturated
  std::int64_t runs = 0;               // of the kernel
  std::uint64_t kernel_nanoseconds = 0;
  std::uint64_t oracle_nanoseconds = 0;
};

Observation observe(const Case& c, const Subject& subject, Runner& runner);

}  // namespace assay::fuzz
