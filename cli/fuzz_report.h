#pragma once

// What a campaign in CI says: `assay fuzz --ci` replays every regression first, fuzzes, and fails only on
// what the baseline does not have.
//
// A baseline is a folder of known findings, *.case or *.json as a campaign files them; the cases in its
// subfolder `regressions` must pass. A finding is known by kernel, contract and signature: neither its case
// nor the folder of the kernel matters.

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "fuzz/campaign.h"

namespace assay::cli {

// "softmax/softmax/CMP-01/value/f32": kernel, contract, signature. The stable fingerprint of reports.
std::string fingerprint(const Target& target, const std::string& signature);

class Baseline {
 public:
  Baseline() = default;  // nothing is known
  static Expected<Baseline> read(const std::filesystem::path& folder);

  bool knows(const std::string& fingerprint) const { return known_.contains(fingerprint); }
  const std::vector<std::filesystem::path>& regressions() const { return regressions_; }

 private:
  std::set<std::string> known_;
  std::vector<std::filesystem::path> regressions_;
};

// A case that must pass, and what came of it.
struct Replayed {
  std::filesystem::path file;
  Target target;
  const Gate* gate = nullptr;
  Case test;
  Verdict verdict;
};
// Those of `files` that are cases of the target's kernel (by the name of its file) and contract, judged in
// fresh workers.
Expected<std::vector<Replayed>> replay_regressions(
    const std::vector<std::filesystem::path>& files, const Target& target,
    const std::function<void(const Replayed&)>& on_replayed = {});

struct FuzzReport {
  std::string program;  // as typed, for replay lines
  std::filesystem::path state;
  std::vector<Replayed> regressions;
  fuzz::CampaignReport campaign;
  Baseline baseline;

  // What fails CI: not fixed, and not known.
  bool is_new(const Target& target, const fuzz::Record& record) const;
};

int exit_code(const FuzzReport& report);  // findings before infrastructure before an interruption

std::string fuzz_json(const FuzzReport& report);
std::string fuzz_junit(const FuzzReport& report);
std::string fuzz_sarif(const FuzzReport& report);    // SARIF 2.1.0
std::string github_lines(const FuzzReport& report);  // ::error file=,line=,title=::, one line a failure
bool on_github();                                    // GITHUB_ACTIONS is set

}  // namespace assay::cli
