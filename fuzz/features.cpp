#include "fuzz/features.h"

#include <algorithm>
#include <array>
#include <bit>

namespace assay::fuzz {
namespace {

constexpr std::array<std::string_view, kFamilies> kNames = {"branches", "residues"};

// Indices that a family has, in the order of the families.
constexpr std::array<std::uint32_t, kFamilies> kSizes = {40'960, 4'096};
constexpr std::array<std::uint32_t, kFamilies + 1> kStarts = [] {
  std::array<std::uint32_t, kFamilies + 1> starts{};
  for (std::size_t f = 0; f < kFamilies; ++f) starts[f + 1] = starts[f] + kSizes[f];
  return starts;
}();
static_assert(kStarts.back() < kCounters);  // the last is the engine's

class Features {
 public:
  explicit Features(Families families) : families_(families) {}

  void add(Family family, std::size_t index) {
    const auto f = static_cast<std::size_t>(family);
    if (families_.contains(family) && index < kSizes[f])
      indices_.push_back(kStarts[f] + static_cast<std::uint32_t>(index));
  }
  std::vector<std::uint32_t> take() && { return std::move(indices_); }

 private:
  const Families families_;
  std::vector<std::uint32_t> indices_;
};

}  // namespace

std::string_view name(Family family) {
  return kNames[static_cast<std::size_t>(family)];
}

std::vector<std::uint32_t> features(const Case& c, const Observation& seen, Families families) {
  Features found(families);
  if (!seen.in_domain) return {};
  for (std::size_t i = 0; i < seen.branches.size(); ++i)
    if (seen.branches[i] != 0) found.add(Family::branches, i);
  const Dims& dims = c.instance.dims;
  for (std::size_t d = 0; d < dims.size() && d < 12; ++d) {
    const auto n = static_cast<std::uint64_t>(dims[d]);
    std::size_t at = d * 320;
    for (std::uint64_t modulus = 4; modulus <= 128; modulus *= 2) {
      found.add(Family::residues, at + n % modulus);
      at += modulus;
    }
    found.add(Family::residues, at + static_cast<std::size_t>(std::bit_width(n)));
  }
  return std::move(found).take();
}

Family family_of(std::uint32_t index) {
  const auto after = std::upper_bound(kStarts.begin(), kStarts.end(), index);
  const auto family = std::min<std::ptrdiff_t>(after - kStarts.begin() - 1, kFamilies - 1);
  return static_cast<Family>(family);
}

}  // namespace assay::fuzz
