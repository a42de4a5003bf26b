#pragma once

// Cases from cases: mutations on the structure, not on bytes.
//
// Laws: the result differs from its parent where that is possible; it is affordable (fuzz/menu.h), or the
// parent is returned; the same (case, seed) gives the same result everywhere.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fuzz/menu.h"

namespace assay::fuzz {

struct Mutator {
  std::string_view name;  // "plant at a tile's edge"
  void (*apply)(Case& c, const Menu& menu, CounterRandom& random);
};
std::span<const Mutator> mutators();  // each is one function and one line in the table
std::uint8_t mutator_drawn();         // the one of them that replaces the case by what a gate draws

// One to four of them, most often one. `used` receives their indices, for the statistics of yields.
Case mutate(const Case& c, const Menu& menu, std::uint64_t seed, std::vector<std::uint8_t>& used);

// Groups of fields of each: extents of one, contents of the other, the plants of both.
Case cross(const Case& a, const Case& b, const Menu& menu, std::uint64_t seed);

}  // namespace assay::fuzz
