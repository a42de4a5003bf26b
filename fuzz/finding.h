#pragma once

// From what an engine saw to a finding that a person can use.
//
// An engine drops a raw report in the inbox (an atomic file: a Reproducer, core/reproducer.h). `triage`
// confirms it 3 times of 5 in fresh workers, shrinks it with its signature kept, explains it, and the
// campaign files it: NAME.case, NAME.json, NAME.cu, each written whole.
//
//   new ── 3 of 5 ──> confirmed ── passes on a newer build ──> fixed ── fails again ──> regressed
//    └──── fewer ───> flaky
//
// Laws: one finding a signature; a confirmed finding is never lost, whatever is killed when; the regression
// test of a fixed one is its case, copied to regressions/.

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "fuzz/explain.h"
#include "properties/check.h"
#include "properties/target.h"

namespace assay::fuzz {

enum class State : std::uint8_t { fresh, confirmed, flaky, fixed, regressed };
std::string_view name(State state);  // "new", "confirmed", ...
std::optional<State> parse_state(std::string_view text);

// What stands in NAME.json.
struct Record {
  std::string name;  // file stem: kernel, gate, hash of the signature
  State state = State::fresh;
  std::string signature;
  std::string gate;  // id
  Case original, shrunk;
  Verdict verdict;     // of the shrunk case
  int reproduced = 0;  // of 5
  Shrunk shrinking;    // steps, runs, and which budget stopped it
  Explanation explanation;
  std::int64_t hits = 1;              // executions with this signature
  std::string kernel_hash;            // of the build on which the state was last decided
  std::string first_seen, last_seen;  // UTC, "2026-11-30T19:50:00Z"
  std::int64_t executions = 0;        // of the campaign until it was first seen
  double seconds = 0;                 // likewise
};
std::string to_json(const Record& record, const Target& target);
Expected<Record> parse_record(std::string_view json, std::string_view file, const Target& target);

// What an engine drops in the inbox: the case, the gate and the signature; nothing is decided yet.
struct RawReport {
  std::filesystem::path file;
  Case test;
  const Gate* gate = nullptr;
  std::string signature;
};
Expected<std::filesystem::path> report(const std::filesystem::path& inbox, const Target& target,
                                       const Gate& gate, const std::string& signature, const Verdict& verdict,
                                       const Case& test);
Expected<RawReport> read_report(const std::filesystem::path& file, const Target& target);

std::string name_of(const Target& target, const Gate& gate, std::string_view signature);  // Record::name
std::string utc_now();  // "2026-11-30T19:50:00Z"

struct TriageOptions {
  ShrinkBudget shrink = {};
  const std::atomic<bool>* stop = nullptr;
};
// Still `fresh` where it was interrupted before anything was decided, or no worker could be started: the
// report stays in the inbox then. Hits, executions and seconds are the campaign's to fill in.
Record triage(const Case& found, const Gate& gate, const std::string& signature, const Target& target,
              const RunnerFactory& runners, const TriageOptions& options);

// The state of a filed finding after its case was run on the kernel as it is now; unchanged where that is the
// build on which it was last decided, or where nothing could be decided.
State recheck(const Record& record, const Target& target, const RunnerFactory& runners);

}  // namespace assay::fuzz
