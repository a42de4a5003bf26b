#pragma once

// A smaller corpus that says the same: the fewest entries, the smallest cases first, that together have every
// feature (fuzz/features.h) that all entries have.
//
// Laws: the features of what is kept are those of all; pruning a pruned corpus removes nothing. Entries are
// removed one by one after all are judged, so a kill at any moment leaves a corpus that has every feature.

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "fuzz/features.h"
#include "properties/check.h"
#include "properties/target.h"

namespace assay::fuzz {

// The choice alone: indices of the entries that are kept, ascending. `cost` decides between entries that add
// as many features.
struct Weighed {
  std::vector<std::uint32_t> features;
  double cost = 0;
};
std::vector<std::size_t> cover(std::span<const Weighed> entries);

struct Pruned {
  std::int64_t entries_before = 0, entries_after = 0;
  std::int64_t features = 0;  // before and after
  bool interrupted = false;   // nothing was removed then
};
// The target is built with branches (TargetOptions), so that what its own code distinguishes is kept.
Expected<Pruned> prune(const std::filesystem::path& corpus, const Target& target,
                       const RunnerFactory& runners, const std::atomic<bool>* stop = nullptr,
                       const std::function<void(std::int64_t done, std::int64_t of)>& on_progress = {});

}  // namespace assay::fuzz
