#pragma once

// A campaign: engines that look for findings, and the loop that turns what they report into files.
//
// Laws: the same command on the same state goes on; SIGKILL at any moment loses no confirmed finding and
// leaves no torn file; a campaign never ends because of a finding, unless it was told to.

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>

#include "fuzz/engine.h"
#include "fuzz/state.h"

namespace assay::fuzz {

struct CampaignOptions {
  std::vector<TargetOptions> kernels;  // of one contract
  std::filesystem::path state;
  // When it ends: whichever comes first; none of them: without end.
  std::optional<std::chrono::milliseconds> time, plateau;  // plateau: since the last new feature or finding
  std::optional<std::int64_t> runs;                        // executions, over all jobs and kernels
  std::optional<int> findings;                             // distinct ones (--keep-going N)
  int jobs = 1;                                            // engines at once; several kernels take turns
  std::uint64_t seed = 1;
  Families families;
  ShrinkBudget shrink;
  std::vector<std::string> raw;
  const std::atomic<bool>* stop = nullptr;
};

// What the screen, stats.json and plot.csv show.
struct Statistics {
  double seconds = 0;  // of this command; `total_seconds` and the counts are of all since the state began
  double total_seconds = 0;
  std::int64_t executions = 0, runs = 0, outside = 0, restarts = 0;
  double executions_per_second = 0;  // over the last ten seconds
  std::int64_t corpus = 0, features = 0;
  std::array<std::int64_t, kFamilies> by_family{};
  double since_feature = 0, since_finding = 0;  // seconds; negative: none yet
  std::map<State, int> findings;
  double stability = 1;     // share of corpus entries whose features come again when run again
  double oracle_share = 0;  // of the time of an execution; likewise the kernel's; the rest is the engine
  double kernel_share = 0;
  double mpfr_share = 0;  // of the judged elements
  std::int64_t undecidable = 0;
  struct Yield {
    std::string mutator;
    std::int64_t tried = 0, yielded = 0;
  };
  std::vector<Yield> mutators;
  std::string advice;  // one sentence: healthy, still finding, may be stopped, or what is wrong
};
std::string to_json(const Statistics& statistics);

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

CampaignReport run(const CampaignOptions& options, const CampaignEvents& events);

}  // namespace assay::fuzz
