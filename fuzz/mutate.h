#pragma once

// Cases from cases: mutations on the structure, not on bytes.
//
// Laws: the result differs from its parent where that is possible; it is in the subject's domain, or the
// parent is returned; the same (case, seed) gives the same result everywhere.

#include <cstdint>
#include <span>
#include <string_view>

#include "gates/gate.h"

namespace assay::fuzz {

struct Mutator {
  std::string_view name;  // "plant at a tile's edge"
  Case (*apply)(const Case& c, const Subject& subject, std::uint64_t seed);
};
std::span<const Mutator> mutators();  // each is one function and one line in the table

// One to four of them. `used` receives their indices, for the statistics of yields.
Case mutate(const Case& c, const Subject& subject, std::uint64_t seed, std::vector<std::uint8_t>& used);

// Groups of fields of each: extents of one, contents of the other, the plants of both.
Case cross(const Case& a, const Case& b, const Subject& subject, std::uint64_t seed);

}  // namespace assay::fuzz
