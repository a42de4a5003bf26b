#pragma once

// What libFuzzer is shown beside the kernel's branches: numbers of an observation, as indices of counters.
//
// A feature is worth a corpus entry the first time it is seen. Families can be switched off one by one, which
// is how bench/ measures that each earns its place; docs/campaigns.md has those that did not.

#include <cstdint>
#include <string_view>
#include <vector>

#include "fuzz/battery.h"

namespace assay::fuzz {

enum class Family : std::uint8_t {
  branches,  // the kernel's own branches
  residues,  // extents modulo 4, 8, 16, 32, 64, 128, and their logarithms
};
constexpr int kFamilies = static_cast<int>(Family::residues) + 1;
std::string_view name(Family family);

struct Families {
  std::uint32_t mask = (1u << kFamilies) - 1;
  bool contains(Family family) const { return mask >> static_cast<unsigned>(family) & 1u; }
  void remove(Family family) { mask &= ~(1u << static_cast<unsigned>(family)); }
};

// The counters that one execution leaves at 1, ascending, each once. Each family has its own range of
// indices, so that features can be counted by family.
constexpr std::size_t kCounters = std::size_t{1} << 16;
std::vector<std::uint32_t> features(const Case& c, const Observation& seen, Families families = {});
Family family_of(std::uint32_t index);

}  // namespace assay::fuzz
