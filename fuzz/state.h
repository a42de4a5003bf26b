#pragma once

// A campaign's state: a folder that outlives every process.
//
//   STATE/campaign.json          what is fuzzed; a campaign with other kernels or another contract is refused
//   STATE/lock                   held (flock) while a campaign runs; its text names the process
//   STATE/stats.json plot.csv log.jsonl
//   STATE/<kernel>/corpus/       encoded cases, one a file, named by their hash
//   STATE/<kernel>/inbox/        raw reports of engines
//   STATE/<kernel>/findings/     NAME.case NAME.json NAME.cu
//   STATE/<kernel>/regressions/  cases of fixed findings
//
// Every file is written whole (core/file.h) but log.jsonl and plot.csv, whose lines are appended with one
// write each; a torn last line is dropped on resume.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "fuzz/finding.h"

namespace assay::fuzz {

// The folders of one kernel.
struct KernelState {
  std::filesystem::path folder, corpus, inbox, findings, regressions;
};

class StateFolder {
 public:
  // Makes what is missing and takes the lock. Refuses politely: another campaign runs there (its pid), or
  // the folder belongs to other kernels.
  static Expected<StateFolder> open(const std::filesystem::path& folder,
                                    const std::vector<TargetOptions>& kernels);
  // The kernels of the campaign that a folder belongs to, without its lock; an error where it belongs to
  // none.
  static Expected<std::vector<std::pair<TargetOptions, KernelState>>> kernels_of(
      const std::filesystem::path& folder);
  StateFolder(StateFolder&&) noexcept;
  ~StateFolder();

  const std::filesystem::path& path() const;
  KernelState of(const TargetOptions& kernel) const;

  Expected<std::vector<Record>> findings(const Target& target) const;
  Expected<void> file(const Record& record, const Target& target, const RunnerFactory& runners) const;

  // Raw reports in the inbox, oldest first (fuzz/finding.h reads them).
  std::vector<std::filesystem::path> reports(const TargetOptions& kernel) const;

  // One line each, without its end.
  void log(std::string_view json_line) const;
  void plot(std::string_view csv_line) const;

 private:
  struct Impl;
  explicit StateFolder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace assay::fuzz
