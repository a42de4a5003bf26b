#pragma once

// The engine processes of a campaign: starts them, restarts those that end, adds up their numbers.
//
// Several kernels take turns: where there are more kernels than jobs, an engine gives its place to the next
// kernel after a while. Killing an engine loses nothing: what it found is in the corpus and the inbox.

#include <array>
#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/campaign.h"

namespace assay::fuzz {

// Sums over engines, of one kernel; features: the most that one engine has seen.
struct Totals {
  std::uint64_t executions = 0, outside = 0, runs = 0, restarts = 0, kernel_ns = 0, oracle_ns = 0,
                total_ns = 0, entries = 0, findings = 0, elements = 0, by_mpfr = 0, undecidable = 0,
                checked = 0, stable = 0;
  std::int64_t last_feature = 0;  // as EngineNumbers
  std::array<std::uint64_t, kFamilies> features{};
  std::array<std::uint64_t, kMostMutators> tried{}, yielded{};

  void add(const EngineNumbers& numbers);
  void add(const Totals& other);  // of another kernel
};

class Engines {
 public:
  Engines(const CampaignOptions& options, const StateFolder& state);

  // Starts what is due and reaps what has ended; an error where engines fail again and again.
  Expected<void> turn();
  bool done() const;  // all executions that were asked for are done
  void stop();

  std::vector<Totals> totals() const;  // by kernel, of this command

 private:
  struct Task {
    std::size_t kernel = 0;
    std::int64_t runs = -1;
  };
  struct Running {
    Task task;
    Process process;
    Numbers numbers;
    std::filesystem::path log;
    std::chrono::steady_clock::time_point since;
  };

  std::optional<Task> next_task();
  Expected<Running> start(const Task& task);
  void retire(const Running& engine);
  bool turn_is_over(const Running& engine) const;

  const CampaignOptions& options_;
  const StateFolder& state_;
  std::deque<Task> tasks_;     // with a limit of executions
  std::size_t turns_ = 0;      // without one: how many were begun
  std::uint64_t started_ = 0;  // engines
  int failures_ = 0;           // in a row, without one execution
  std::vector<Running> running_;
  std::vector<Totals> retired_;  // by kernel
};

}  // namespace assay::fuzz
