#pragma once

// A campaign: engines that look for findings, and the loop that turns what they report into files.
//
// Laws: the same command on the same state goes on; SIGKILL at any moment loses no confirmed finding and
// leaves no torn file; a campaign never ends because of a finding, unless it was told to; with `runs` and one
// job the same seed on an empty state finds the same.

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <optional>

#include "fuzz/engine.h"
#include "fuzz/state.h"

namespace assay::fuzz {

struct CampaignOptions {
  std::vector<TargetOptions> kernels;
  std::filesystem::path state;
  std::filesystem::path cases;  // a folder whose saved cases enter the corpus; may be missing or empty
  // When it ends: whichever comes first; none of them: without end.
  std::optional<std::chrono::milliseconds> time, plateau;  // plateau: since the last new feature or finding
  std::optional<std::int64_t> runs;                        // executions, over all jobs and kernels
  std::optional<int> findings;                             // that are new in this command (--keep-going N)
  int jobs = 1;                                            // engines at once; several kernels take turns
  std::uint64_t seed = 1;
  Families families;
  bool seeded = true;
  ShrinkBudget shrink;
  std::vector<std::string> raw;  // flags for libFuzzer
  const std::atomic<bool>* stop = nullptr;
};

// What the screen, stats.json and plot.csv show. Counts are of all commands on the state.
struct Statistics {
  double seconds = 0;  // of this command
  double total_seconds = 0;
  std::int64_t executions = 0, runs = 0, outside = 0, restarts = 0;
  double executions_per_second = 0;  // over the last ten seconds
  std::int64_t corpus = 0, features = 0;
  std::array<std::int64_t, kFamilies> by_family{};
  double since_feature = -1, since_finding = -1;  // seconds; negative: none yet in this command
  std::map<State, int> findings;
  int waiting = 0;          // reports that are not triaged yet
  std::string activity;     // "" or "triaging CMP-01/value/f32"
  double stability = 1;     // share of corpus entries whose features come again when run again
  double oracle_share = 0;  // of the time of an execution; likewise the kernel's; the rest is the engine's
  double kernel_share = 0;
  double mpfr_share = 0;  // of the judged elements
  std::int64_t undecidable = 0;
  struct Yield {
    std::string mutator;
    std::int64_t tried = 0, yielded = 0;
  };
  std::vector<Yield> mutators;  // the best first
  std::string advice;           // one sentence: healthy, still finding, may be stopped, or what is wrong
};
std::string to_json(const Statistics& statistics);
std::string advise(const Statistics& statistics);  // Statistics::advice

struct CampaignReport {
  Statistics statistics;
  std::vector<std::pair<Target, std::vector<Record>>> findings;  // by kernel, all that the state holds
  std::string ended_by;  // "time", "runs", "plateau", "findings", "interrupted", or what went wrong
  bool failed = false;   // infrastructure
};

struct CampaignEvents {
  std::function<void(const Statistics&)> on_statistics = {};          // about once a second
  std::function<void(const Record&, const Target&)> on_finding = {};  // when its files are written
};

// An error is one of the command: a kernel that does not build, a state that belongs to another campaign.
Expected<CampaignReport> run(const CampaignOptions& options, const CampaignEvents& events);

}  // namespace assay::fuzz
