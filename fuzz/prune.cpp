#include "fuzz/prune.h"

#include <algorithm>
#include <map>
#include <set>

#include "fuzz/corpus.h"
#include "gates/execute.h"

namespace assay::fuzz {
namespace fs = std::filesystem;
namespace {

// Of a case: what it takes to run and to read.
double cost_of(const Case& c, const Subject& subject) {
  const Expected<Shapes> shapes = shapes_of(subject.contract, c.instance);
  return shapes ? static_cast<double>(elements(*shapes)) + 16.0 * static_cast<double>(c.plants.size()) : 0;
}

}  // namespace

std::vector<std::size_t> cover(std::span<const Weighed> entries) {
  std::set<std::uint32_t> open;
  for (const Weighed& entry : entries) open.insert(entry.features.begin(), entry.features.end());
  const auto adds = [&](const Weighed& entry) {
    return std::count_if(entry.features.begin(), entry.features.end(),
                         [&](std::uint32_t feature) { return open.contains(feature); });
  };
  std::vector<std::size_t> left(entries.size()), kept;
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
  // What an entry adds only falls: one that was stale at the top is looked at again.
  std::vector<std::ptrdiff_t> gain(entries.size());
  for (std::size_t i : left) gain[i] = adds(entries[i]);
  const auto worse = [&](std::size_t a, std::size_t b) {
    if (gain[a] != gain[b]) return gain[a] < gain[b];
    if (entries[a].cost != entries[b].cost) return entries[a].cost > entries[b].cost;
    return a > b;
  };
  std::make_heap(left.begin(), left.end(), worse);
  while (!open.empty()) {
    std::pop_heap(left.begin(), left.end(), worse);
    const std::size_t best = left.back();
    const std::ptrdiff_t now = adds(entries[best]);
    if (now == gain[best]) {
      left.pop_back();
      kept.push_back(best);
      for (std::uint32_t feature : entries[best].features) open.erase(feature);
    } else {
      gain[best] = now;
      std::push_heap(left.begin(), left.end(), worse);
    }
  }
  // Later choices may have made an earlier one needless; the dearest goes first.
  std::map<std::uint32_t, int> times;
  for (std::size_t i : kept)
    for (std::uint32_t feature : std::set(entries[i].features.begin(), entries[i].features.end()))
      ++times[feature];
  std::vector<std::size_t> by_cost = kept;
  std::stable_sort(by_cost.begin(), by_cost.end(),
                   [&](std::size_t a, std::size_t b) { return entries[a].cost > entries[b].cost; });
  for (std::size_t i : by_cost) {
    const std::set features(entries[i].features.begin(), entries[i].features.end());
    if (std::any_of(features.begin(), features.end(), [&](std::uint32_t f) { return times[f] == 1; }))
      continue;
    for (std::uint32_t feature : features) --times[feature];
    std::erase(kept, i);
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

Expected<Pruned> prune(const fs::path& corpus, const Target& target, const RunnerFactory& runners,
                       const std::atomic<bool>* stop,
                       const std::function<void(std::int64_t, std::int64_t)>& on_progress) {
  const auto files = entries_of(corpus);
  if (!files) return tl::unexpected(files.error());
  auto runner = runners();
  if (!runner) return tl::unexpected(runner.error());
  const Menu menu(target.subject);
  Battery battery(menu, **runner);

  Pruned pruned;
  pruned.entries_before = pruned.entries_after = static_cast<std::int64_t>(files->size());
  std::vector<Weighed> entries;
  std::set<std::uint32_t> all;
  for (const fs::path& file : *files) {
    const Expected<Case> c = read_entry(file, target.subject.contract.signature());
    if (!c) return tl::unexpected(c.error());
    const Observation seen = battery.observe(*c);
    if (seen.broken) return infrastructure_error("{}", seen.verdict.evidence.detail);
    if (stop && *stop) {
      pruned.interrupted = true;
      return pruned;
    }
    Weighed entry{{}, cost_of(*c, target.subject)};
    if (seen.in_domain) entry.features = features(*c, seen);
    all.insert(entry.features.begin(), entry.features.end());
    entries.push_back(std::move(entry));
    if (on_progress) on_progress(static_cast<std::int64_t>(entries.size()), pruned.entries_before);
  }
  pruned.features = static_cast<std::int64_t>(all.size());
  const std::vector<std::size_t> kept = cover(entries);
  for (std::size_t i = 0; i < files->size(); ++i) {
    if (std::binary_search(kept.begin(), kept.end(), i)) continue;
    std::error_code failure;
    fs::remove((*files)[i], failure);
    if (failure) return infrastructure_error("{}: {}", (*files)[i].string(), failure.message());
    --pruned.entries_after;
  }
  return pruned;
}

}  // namespace assay::fuzz
