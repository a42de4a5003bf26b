#include "properties/shrink.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <set>
#include <string>
#include <unordered_set>

#include "core/codec.h"
#include "properties/generate.h"

namespace assay {
namespace {

// Every candidate lowers one of these measures or several and raises none, which is why there are no cycles:
// extents, rank of a fill, rank of an order, |scale|, offsets, number of plants, distances, rank of a
// special, number of attributes off their defaults, seed.

// Simpler fills first: what a person reads most easily.
constexpr std::array kFillRanks = {
    Fill::constant,  Fill::grid,   Fill::ties,     Fill::uniform, Fill::normal,     Fill::negative,
    Fill::shifted,   Fill::offset, Fill::large,    Fill::small,   Fill::wide,       Fill::zeros,
    Fill::subnormal, Fill::probe,  Fill::swamping, Fill::below,   Fill::cancelling, Fill::huge};
static_assert(kFillRanks.size() == kFills);

std::ptrdiff_t rank(Fill fill) {
  return std::find(kFillRanks.begin(), kFillRanks.end(), fill) - kFillRanks.begin();
}

class Candidates {
 public:
  Candidates(const Case& c, const Signature& signature) : from_(c), signature_(signature) {}

  std::vector<Case> take() && {
    all_dims();
    drop_plants();
    plain_recipes();
    single_dims();
    equal_dims();
    attributes();
    single_plants();
    single_recipes();
    seed();
    return std::move(out_);
  }

 private:
  void add(Case c) {
    if (!(c == from_)) out_.push_back(std::move(c));
  }
  template <class Change>
  void changed(Change change) {
    Case c = from_;
    change(c);
    add(std::move(c));
  }

  // Smaller extents that a fault of tiles and tails may still show at, the smallest first. Extents never
  // reach 0 by shrinking: an empty tensor shows other faults.
  static std::vector<std::int64_t> smaller(std::int64_t n) {
    std::set<std::int64_t> result = {1, 2};
    for (std::int64_t tile : {256, 128, 64, 32, 16, 8, 4})
      for (std::int64_t tiles = 0; tiles <= 2; ++tiles) result.insert(n % tile + tiles * tile);
    // Past 2^31 the way down is long: halves of the distance to the boundary.
    constexpr std::int64_t kBoundary = std::int64_t{1} << 31;
    for (std::int64_t over = n - kBoundary; over > 0; over /= 2) result.insert(n - over);
    for (std::int64_t step : {n / 2, n / 4, std::int64_t{128}, std::int64_t{32}, std::int64_t{8},
                              std::int64_t{4}, std::int64_t{1}})
      result.insert(n - step);
    result.erase(result.lower_bound(n), result.end());
    result.erase(result.begin(), result.lower_bound(1));
    return {result.begin(), result.end()};
  }

  void all_dims() {
    for (std::int64_t limit : {1, 2, 4, 16, 32}) {
      changed([&](Case& c) {
        for (std::int64_t& n : c.instance.dims) n = std::min(n, limit);
      });
    }
  }

  void single_dims() {
    for (std::size_t d = 0; d < from_.instance.dims.size(); ++d)
      for (std::int64_t n : smaller(from_.instance.dims[d]))
        changed([&](Case& c) { c.instance.dims[d] = n; });
  }

  // A domain may couple extents: equal ones shrink together.
  void equal_dims() {
    const Dims& dims = from_.instance.dims;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const bool first =
          std::find(dims.begin(), dims.end(), dims[d]) == dims.begin() + static_cast<std::ptrdiff_t>(d);
      if (!first || std::count(dims.begin(), dims.end(), dims[d]) < 2) continue;
      for (std::int64_t n : smaller(dims[d]))
        changed([&](Case& c) { std::replace(c.instance.dims.begin(), c.instance.dims.end(), dims[d], n); });
    }
  }

  void drop_plants() {
    const std::size_t n = from_.plants.size();
    for (std::size_t part = n; part >= 1; part /= 2) {
      for (std::size_t start = 0; start < n; start += part) {
        changed([&](Case& c) {
          const auto begin = c.plants.begin();
          c.plants.erase(begin + static_cast<std::ptrdiff_t>(start),
                         begin + static_cast<std::ptrdiff_t>(std::min(start + part, n)));
        });
      }
    }
  }

  void single_plants() {
    for (std::size_t i = 0; i < from_.plants.size(); ++i) {
      for (Place Plant::* place : {&Plant::row, &Plant::column}) {
        const Place at = from_.plants[i].*place;
        std::set<int> distances = {0, 1, at.distance / 2, at.distance - 1};
        // Beyond the extent a distance means the last place, so it may as well say so.
        for (std::int64_t n : from_.instance.dims)
          if (n >= 1) distances.insert(static_cast<int>(std::min<std::int64_t>(n - 1, at.distance)));
        for (int distance : distances)
          if (distance >= 0 && distance < at.distance)
            changed([&](Case& c) { (c.plants[i].*place).distance = static_cast<std::uint16_t>(distance); });
        if (at.from_end && at.distance == 0) changed([&](Case& c) { c.plants[i].*place = {}; });
      }
      for (int special = 0; special < static_cast<int>(from_.plants[i].value); ++special) {
        // Any other special is another fault, but for the two infinities, ones and NaN.
        const auto value = static_cast<Special>(special);
        const bool sibling = (from_.plants[i].value == Special::negative_nan && value == Special::nan) ||
                             (from_.plants[i].value == Special::neg_inf && value == Special::pos_inf) ||
                             (from_.plants[i].value == Special::minus_one && value == Special::one);
        if (sibling) changed([&](Case& c) { c.plants[i].value = value; });
      }
    }
  }

  static void plain(InputRecipe& recipe) {
    recipe.scale = 0;
    recipe.order = Order::drawn;
    recipe.offset = 0;
  }

  void plain_recipes() {
    changed([](Case& c) {
      for (InputRecipe& recipe : c.inputs) plain(recipe);
      std::fill(c.output_offsets.begin(), c.output_offsets.end(), std::uint8_t{0});
    });
    for (Fill fill : {Fill::constant, Fill::grid, Fill::normal}) {
      changed([&](Case& c) {
        for (InputRecipe& recipe : c.inputs)
          if (rank(fill) < rank(recipe.fill)) recipe.fill = fill;
      });
    }
  }

  void single_recipes() {
    for (std::size_t i = 0; i < from_.inputs.size(); ++i) {
      const InputRecipe& recipe = from_.inputs[i];
      changed([&](Case& c) { plain(c.inputs[i]); });
      for (Fill fill : {Fill::constant, Fill::grid, Fill::ties, Fill::normal})
        if (rank(fill) < rank(recipe.fill)) changed([&](Case& c) { c.inputs[i].fill = fill; });
      changed([&](Case& c) { c.inputs[i].scale = 0; });
      changed([&](Case& c) { c.inputs[i].scale = static_cast<std::int8_t>(c.inputs[i].scale / 2); });
      changed([&](Case& c) { c.inputs[i].order = Order::drawn; });
      for (Order order : {Order::ascending, Order::descending})
        if (order < recipe.order) changed([&](Case& c) { c.inputs[i].order = order; });
      changed([&](Case& c) { c.inputs[i].offset = 0; });
      if (recipe.offset > 1) changed([&](Case& c) { c.inputs[i].offset = 1; });
    }
    for (std::size_t i = 0; i < from_.output_offsets.size(); ++i) {
      changed([&](Case& c) { c.output_offsets[i] = 0; });
      if (from_.output_offsets[i] > 1) changed([&](Case& c) { c.output_offsets[i] = 1; });
    }
  }

  void attributes() {
    const auto reset = [&](Case& c, std::size_t i) {
      c.instance.attributes[i] = signature_.attributes[i].fallback.value_or(c.instance.attributes[i]);
    };
    const std::size_t n = signature_.attributes.size();
    changed([&](Case& c) {
      for (std::size_t i = 0; i < n; ++i) reset(c, i);
    });
    for (std::size_t i = 0; n > 1 && i < n; ++i) changed([&](Case& c) { reset(c, i); });
  }

  void seed() {
    for (std::uint64_t seed : {0u, 1u, 2u, 3u, 4u})
      if (seed < from_.seed) changed([&](Case& c) { c.seed = seed; });
  }

  const Case& from_;
  const Signature& signature_;
  std::vector<Case> out_;
};

std::string key(const Case& c) {
  const std::vector<std::byte> bytes = encode(c);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

rc::Seq<Case> shrink(const Case& c, const Subject& subject) {
  return rc::seq::filter(rc::seq::fromContainer(Candidates(c, subject.contract.signature()).take()),
                         [subject](const Case& candidate) { return in_domain(candidate, subject); });
}

Shrunk minimise(const Case& c, const Subject& subject, const ShrinkBudget& budget,
                const std::function<bool(const Case&)>& same_finding) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + budget.time;
  Shrunk result{c, 0, 0, "minimal"};
  std::unordered_set<std::string> tried = {key(c)};
  auto tree = rc::shrinkable::shrinkRecur(c, [&subject](const Case& x) { return shrink(x, subject); });

  for (bool moved = true; moved;) {
    moved = false;
    auto branches = tree.shrinks();
    while (auto branch = branches.next()) {
      const char* stop = nullptr;
      if (result.steps >= budget.steps) stop = "steps";
      if (result.runs >= budget.runs) stop = "runs";
      if (Clock::now() >= deadline) stop = "time";
      if (stop) {
        result.stopped_by = stop;
        return result;
      }
      Case candidate = branch->value();
      if (!tried.insert(key(candidate)).second) continue;
      ++result.runs;
      if (!same_finding(candidate)) continue;
      ++result.steps;
      result.smallest = std::move(candidate);
      rc::Shrinkable<Case> next = std::move(*branch);  // the branch lives in the tree it replaces
      tree = std::move(next);
      moved = true;
      break;
    }
  }
  return result;
}

}  // namespace assay
