#include "fuzz/features.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "core/random.h"

namespace assay::fuzz {
namespace {

constexpr std::array<std::string_view, kFamilies> kNames = {
    "branches", "excess", "classes", "residues", "alignment", "dtype", "contents", "specials", "verdict"};

// Indices that a family has, in the order of the families.
constexpr std::array<std::uint32_t, kFamilies> kSizes = {40'960, 2'048, 1'024, 4'096, 1'024,
                                                         16,     2'048, 8'192, 4'096};
constexpr std::array<std::uint32_t, kFamilies + 1> kStarts = [] {
  std::array<std::uint32_t, kFamilies + 1> starts{};
  for (std::size_t f = 0; f < kFamilies; ++f) starts[f + 1] = starts[f] + kSizes[f];
  return starts;
}();
static_assert(kStarts.back() < kCounters);  // the last is the engine's

// Where in an extent a planted value lies, as far as kernels treat places differently.
std::uint32_t place_class(std::int64_t at, std::int64_t extent) {
  if (at == extent - 1) return 1;
  if (at == 0) return 0;
  if (extent - at <= 4) return 2;
  if (at < 4) return 3;
  if (at % 32 == 31) return 4;
  if (at % 32 == 0) return 5;
  if (extent - at <= 32) return 6;
  return 7;
}

class Features {
 public:
  Features(const Case& c, const Subject& subject, const Observation& seen, Families families)
      : case_(c), subject_(subject), seen_(seen), families_(families) {}

  std::vector<std::uint32_t> take() && {
    if (!seen_.in_domain) return {};
    for (std::size_t i = 0; i < seen_.branches.size(); ++i)
      if (seen_.branches[i] != 0) add(Family::branches, i);
    outputs();
    residues();
    const DType dtype = case_.instance.dtype;
    add(Family::dtype, static_cast<std::size_t>(dtype));
    for (std::size_t i = 0; i < case_.inputs.size(); ++i) {
      const InputRecipe& recipe = case_.inputs[i];
      add(Family::alignment, i % 32 * 16 + recipe.offset % 16);
      add(Family::contents, i % 16 * 64 + static_cast<std::size_t>(recipe.fill));
      add(Family::contents, i % 16 * 64 + 32 + static_cast<std::size_t>(recipe.order));
    }
    for (std::size_t o = 0; o < case_.output_offsets.size(); ++o)
      add(Family::alignment, 512 + o % 32 * 16 + case_.output_offsets[o] % 16);
    specials();
    if (seen_.gate != nullptr || seen_.outcome != Outcome::pass) {
      std::uint64_t hash = static_cast<std::uint64_t>(seen_.outcome);
      for (const char letter : seen_.verdict.evidence.kind)
        hash = mix(hash ^ static_cast<unsigned char>(letter));
      if (seen_.gate != nullptr)
        for (const char letter : seen_.gate->id) hash = mix(hash ^ static_cast<unsigned char>(letter));
      add(Family::verdict, hash % kSizes[static_cast<std::size_t>(Family::verdict)]);
    }
    std::sort(indices_.begin(), indices_.end());
    indices_.erase(std::unique(indices_.begin(), indices_.end()), indices_.end());
    return std::move(indices_);
  }

 private:
  void add(Family family, std::size_t index) {
    const auto f = static_cast<std::size_t>(family);
    if (families_.contains(family) && index < kSizes[f])
      indices_.push_back(kStarts[f] + static_cast<std::uint32_t>(index));
  }

  void outputs() {
    constexpr int kLeast = -24, kMost = 8;  // of the logarithm
    const std::size_t dtype = static_cast<std::size_t>(case_.instance.dtype) % 8;
    for (std::size_t o = 0; o < seen_.outputs.size() && o < 6; ++o) {
      const double excess = seen_.outputs[o].worst_excess;
      if (excess <= 0) continue;
      const int log = std::clamp(std::ilogb(excess), kLeast, kMost);
      add(Family::excess, (o * 8 + dtype) * 40 + static_cast<std::size_t>(log - kLeast));
    }
    for (std::size_t o = 0; o < seen_.classes.size() && o < 16; ++o)
      add(Family::classes, o * 64 + seen_.classes[o]);
  }

  void residues() {
    const Dims& dims = case_.instance.dims;
    for (std::size_t d = 0; d < dims.size() && d < 12; ++d) {
      const auto n = static_cast<std::uint64_t>(dims[d]);
      std::size_t at = d * 320;
      for (std::uint64_t modulus = 4; modulus <= 128; modulus *= 2) {
        add(Family::residues, at + n % modulus);
        at += modulus;
      }
      add(Family::residues, at + static_cast<std::size_t>(std::bit_width(n)));
    }
  }

  void specials() {
    const auto shapes = shapes_of(subject_.contract, case_.instance);
    for (const Plant& plant : case_.plants) {
      if (!shapes || plant.input >= shapes->inputs.size()) continue;
      const Dims& shape = shapes->inputs[plant.input].shape;
      const std::int64_t columns = shape.empty() ? 1 : shape.back(), all = count(shape);
      if (all == 0) continue;
      const std::int64_t rows = all / columns, row = plant.row.in(rows);
      const std::uint32_t height = row == 0 ? 0 : row == rows - 1 ? 1 : 2;
      add(Family::specials,
          ((plant.input % 8 * 32 + static_cast<std::size_t>(plant.value)) * 4 + height) * 8 +
              place_class(plant.column.in(columns), columns));
    }
  }

  const Case& case_;
  const Subject& subject_;
  const Observation& seen_;
  const Families families_;
  std::vector<std::uint32_t> indices_;
};

}  // namespace

std::string_view name(Family family) {
  return kNames[static_cast<std::size_t>(family)];
}

std::vector<std::uint32_t> features(const Case& c, const Subject& subject, const Observation& seen,
                                    Families families) {
  return Features(c, subject, seen, families).take();
}

Family family_of(std::uint32_t index) {
  const auto after = std::upper_bound(kStarts.begin(), kStarts.end(), index);
  const auto family = std::min<std::ptrdiff_t>(after - kStarts.begin() - 1, kFamilies - 1);
  return static_cast<Family>(family);
}

}  // namespace assay::fuzz
