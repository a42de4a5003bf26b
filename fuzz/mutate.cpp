#include "fuzz/mutate.h"

#include <algorithm>
#include <array>
#include <bit>

#include "properties/generate.h"

namespace assay::fuzz {
namespace {

constexpr std::size_t kMostPlants = 64;

template <class T>
const T& any_of(const std::vector<T>& values, CounterRandom& random) {
  return values[random.below(values.size())];
}

std::int64_t* any_extent(Case& c, CounterRandom& random) {
  Dims& dims = c.instance.dims;
  return dims.empty() ? nullptr : &dims[random.below(dims.size())];
}

// --- extents ------------------------------------------------------------------------------------------

void extent_to_an_edge(Case& c, const Menu& menu, CounterRandom& random) {
  if (std::int64_t* n = any_extent(c, random)) *n = menu.extent(random);
}

void extent_a_step(Case& c, const Menu&, CounterRandom& random) {
  std::int64_t* n = any_extent(c, random);
  if (n == nullptr) return;
  const std::int64_t step = std::int64_t{1} << random.below(8);
  *n = std::max<std::int64_t>(random.below(2) ? *n + step : *n - step, 1);
}

void extent_doubled_or_halved(Case& c, const Menu&, CounterRandom& random) {
  if (std::int64_t* n = any_extent(c, random))
    *n = random.below(2) ? 2 * *n : std::max<std::int64_t>(*n / 2, 1);
}

void extents_alike(Case& c, const Menu&, CounterRandom& random) {
  Dims& dims = c.instance.dims;
  if (dims.size() < 2) return;
  const std::size_t a = random.below(dims.size()), b = random.below(dims.size());
  if (random.below(2)) {
    std::swap(dims[a], dims[b]);
  } else {
    dims[a] = dims[b];
  }
}

// The same place in a tile, with fewer or more tiles before it.
void extent_by_tiles(Case& c, const Menu&, CounterRandom& random) {
  std::int64_t* n = any_extent(c, random);
  if (n == nullptr) return;
  const std::int64_t tile = std::int64_t{4} << random.below(7);
  *n = *n % tile + tile * static_cast<std::int64_t>(random.below(5));
}

void extents_to_edges(Case& c, const Menu& menu, CounterRandom& random) {
  for (std::int64_t& n : c.instance.dims)
    if (random.below(4)) n = menu.extent(random);
}

// One long extent beside short ones: what a block or a thread of many kernels does not hold.
void one_long_extent(Case& c, const Menu& menu, CounterRandom& random) {
  Dims& dims = c.instance.dims;
  if (dims.empty()) return;
  for (std::int64_t& n : dims) n = 1 + static_cast<std::int64_t>(random.below(3));
  std::int64_t longest = menu.extent(random);
  if (longest < 1024) longest += 1024 * static_cast<std::int64_t>(1 + random.below(4));
  dims[random.below(2) ? dims.size() - 1 : random.below(dims.size())] = longest;
}

// --- contents -----------------------------------------------------------------------------------------

void other_fill(Case& c, const Menu& menu, CounterRandom& random) {
  if (!c.inputs.empty()) c.inputs[random.below(c.inputs.size())].fill = any_of(menu.fills(), random);
}

void other_fill_of_all(Case& c, const Menu& menu, CounterRandom& random) {
  const Fill fill = any_of(menu.fills(), random);
  for (InputRecipe& recipe : c.inputs) recipe.fill = fill;
}

void other_order(Case& c, const Menu& menu, CounterRandom& random) {
  if (!c.inputs.empty()) c.inputs[random.below(c.inputs.size())].order = any_of(menu.orders(), random);
}

void other_seed(Case& c, const Menu&, CounterRandom& random) {
  c.seed = random.next();
}

// --- planted values -----------------------------------------------------------------------------------

bool is_index(const Menu& menu, std::size_t input) {
  return menu.subject().contract.signature().inputs[input].type.kind == ElementType::Kind::index;
}

// Mostly one that a gate plants into such contents: others are no gate's to judge.
Special a_special(const Case& c, const Menu& menu, CounterRandom& random, std::size_t input) {
  constexpr Special kOfIndices[] = {Special::first, Special::last, Special::ignored};
  if (is_index(menu, input)) return kOfIndices[random.below(3)];
  std::vector<const std::vector<Special>*> fitting;
  for (const Menu::Entry& entry : menu.gates()) {
    const auto& fills = entry.draw.fills;
    if (!entry.any_contents && !entry.draw.plants.empty() &&
        std::ranges::any_of(fills, [&](const Weighted& w) { return w.fill == c.inputs[input].fill; }))
      fitting.push_back(&entry.draw.plants);
  }
  return any_of(fitting.empty() || random.below(4) == 0 ? menu.plants() : *any_of(fitting, random), random);
}

std::uint16_t distance(std::uint64_t n) {
  return static_cast<std::uint16_t>(std::min<std::uint64_t>(n, 0xffff));
}

Place a_row(CounterRandom& random) {
  return random.below(3) ? Place{random.below(2) != 0, distance(random.below(3))}
                         : Place{false, distance(random.below(64))};
}

void plant(Case& c, const Menu& menu, CounterRandom& random, Place column) {
  if (c.inputs.empty() || c.plants.size() >= kMostPlants) return;
  const auto input = static_cast<std::uint8_t>(random.below(std::min<std::size_t>(c.inputs.size(), 256)));
  c.plants.push_back({input, a_row(random), column, a_special(c, menu, random, input)});
}

void plant_at_the_end(Case& c, const Menu& menu, CounterRandom& random) {
  plant(c, menu, random, {true, distance(random.below(4))});
}

void plant_at_the_start(Case& c, const Menu& menu, CounterRandom& random) {
  plant(c, menu, random, {false, distance(random.below(4))});
}

// Before or after the edge of a tile, every second time of a warp.
Place an_edge(CounterRandom& random) {
  const std::uint64_t tile = random.below(2) ? 32 : std::uint64_t{4} << random.below(7);
  return {random.below(4) == 0, distance(tile * (1 + random.below(4)) - random.below(2))};
}

void plant_at_an_edge(Case& c, const Menu& menu, CounterRandom& random) {
  plant(c, menu, random, an_edge(random));
}

void plant_anywhere(Case& c, const Menu& menu, CounterRandom& random) {
  const auto longest =
      c.instance.dims.empty() ? 1 : *std::max_element(c.instance.dims.begin(), c.instance.dims.end());
  plant(c, menu, random,
        {false, distance(random.below(static_cast<std::uint64_t>(std::max<std::int64_t>(longest, 1))))});
}

// The same value at two places of a row: what is compared, counted or taken for a mask.
void plant_a_pair(Case& c, const Menu& menu, CounterRandom& random) {
  const auto column = [&] {
    return random.below(2) ? an_edge(random) : Place{random.below(2) != 0, distance(random.below(2))};
  };
  plant(c, menu, random, column());
  if (c.plants.empty() || c.plants.size() >= kMostPlants) return;
  Plant other = c.plants.back();
  other.column = column();
  c.plants.push_back(other);
}

// A row that is special throughout, or at its start.
void plant_a_run(Case& c, const Menu& menu, CounterRandom& random) {
  if (c.inputs.empty()) return;
  const auto input = static_cast<std::uint8_t>(random.below(std::min<std::size_t>(c.inputs.size(), 256)));
  const Special value = a_special(c, menu, random, input);
  const Place row = a_row(random);
  const std::uint64_t length = 2 + random.below(15);
  for (std::uint64_t j = 0; j < length && c.plants.size() < kMostPlants; ++j)
    c.plants.push_back({input, row, {false, distance(j)}, value});
}

void plant_moved(Case& c, const Menu&, CounterRandom& random) {
  if (c.plants.empty()) return;
  Plant& p = c.plants[random.below(c.plants.size())];
  Place& place = random.below(3) ? p.column : p.row;
  switch (random.below(3)) {
    case 0:
      place.from_end = !place.from_end;
      break;
    case 1:
      place.distance = distance(place.distance + (std::uint64_t{1} << random.below(7)));
      break;
    default:
      place.distance = distance(place.distance -
                                std::min<std::uint64_t>(place.distance, std::uint64_t{1} << random.below(7)));
  }
}

void plant_of_another_value(Case& c, const Menu& menu, CounterRandom& random) {
  if (c.plants.empty()) return;
  Plant& p = c.plants[random.below(c.plants.size())];
  p.value = a_special(c, menu, random, p.input);
}

void plant_repeated(Case& c, const Menu& menu, CounterRandom& random) {
  if (c.plants.empty() || c.plants.size() >= kMostPlants) return;
  Plant p = any_of(c.plants, random);
  const auto input = static_cast<std::uint8_t>(random.below(c.inputs.size()));
  if (is_index(menu, input) == is_index(menu, p.input)) p.input = input;
  (random.below(2) ? p.row : p.column).distance = distance(random.below(64));
  c.plants.push_back(p);
}

void plants_dropped(Case& c, const Menu&, CounterRandom& random) {
  if (c.plants.empty()) return;
  if (random.below(3) == 0) {
    c.plants.clear();
  } else {
    c.plants.erase(c.plants.begin() + static_cast<std::ptrdiff_t>(random.below(c.plants.size())));
  }
}

// --- the rest -----------------------------------------------------------------------------------------

void other_address(Case& c, const Menu& menu, CounterRandom& random) {
  const std::uint64_t units = std::max<std::uint64_t>(256 / menu.subject().contract.alignment(), 1);
  const std::size_t k = random.below(c.inputs.size() + c.output_offsets.size());
  const auto offset = static_cast<std::uint8_t>(random.below(units));
  (k < c.inputs.size() ? c.inputs[k].offset : c.output_offsets[k - c.inputs.size()]) = offset;
}

void addresses_alike(Case& c, const Menu& menu, CounterRandom& random) {
  const std::uint64_t units = std::max<std::uint64_t>(256 / menu.subject().contract.alignment(), 1);
  const auto offset = static_cast<std::uint8_t>(random.below(3) ? 0 : random.below(units));
  for (InputRecipe& recipe : c.inputs) recipe.offset = offset;
  for (std::uint8_t& o : c.output_offsets) o = offset;
}

void other_dtype(Case& c, const Menu& menu, CounterRandom& random) {
  c.instance.dtype = any_of(menu.subject().dtypes, random);
}

// What a gate would draw: a case of its own, or only its contents, attributes or extents.
void drawn(Case& c, const Menu& menu, CounterRandom& random) {
  if (menu.gates().empty()) return;
  c = draw_case(menu.subject(), *any_of(menu.gates(), random).gate, random.next(), random.next());
}

void contents_drawn(Case& c, const Menu& menu, CounterRandom& random) {
  Case other = c;
  drawn(other, menu, random);
  c.inputs = std::move(other.inputs);
  c.plants = std::move(other.plants);
  c.seed = other.seed;
}

void extents_drawn(Case& c, const Menu& menu, CounterRandom& random) {
  Case other = c;
  drawn(other, menu, random);
  c.instance.dims = std::move(other.instance.dims);
}

void attributes_drawn(Case& c, const Menu& menu, CounterRandom& random) {
  if (c.instance.attributes.empty()) return;
  Case other = c;
  drawn(other, menu, random);
  c.instance.attributes = std::move(other.instance.attributes);
}

constexpr std::array kMutators = {
    Mutator{"extent to an edge", extent_to_an_edge},
    Mutator{"extent a step", extent_a_step},
    Mutator{"extent doubled or halved", extent_doubled_or_halved},
    Mutator{"extents alike", extents_alike},
    Mutator{"extent by tiles", extent_by_tiles},
    Mutator{"extents to edges", extents_to_edges},
    Mutator{"one long extent", one_long_extent},
    Mutator{"other fill", other_fill},
    Mutator{"other fill of all", other_fill_of_all},
    Mutator{"other order", other_order},
    Mutator{"other seed", other_seed},
    Mutator{"plant at the end", plant_at_the_end},
    Mutator{"plant at the start", plant_at_the_start},
    Mutator{"plant at a tile's edge", plant_at_an_edge},
    Mutator{"plant anywhere", plant_anywhere},
    Mutator{"plant a pair", plant_a_pair},
    Mutator{"plant a run", plant_a_run},
    Mutator{"plant moved", plant_moved},
    Mutator{"plant of another value", plant_of_another_value},
    Mutator{"plant repeated", plant_repeated},
    Mutator{"plants dropped", plants_dropped},
    Mutator{"other address", other_address},
    Mutator{"addresses alike", addresses_alike},
    Mutator{"other dtype", other_dtype},
    Mutator{"drawn", drawn},
    Mutator{"contents drawn", contents_drawn},
    Mutator{"extents drawn", extents_drawn},
    Mutator{"attributes drawn", attributes_drawn},
};

constexpr auto kDrawn = static_cast<std::uint8_t>(
    std::find_if(kMutators.begin(), kMutators.end(), [](const Mutator& m) { return m.name == "drawn"; }) -
    kMutators.begin());

// Whether a gate that looks at values or classes can say something of the case.
bool is_judged(const Case& c, const Menu& menu) {
  return std::any_of(menu.gates().begin(), menu.gates().end(), [&](const Menu::Entry& entry) {
    return !entry.any_contents && may_judge(entry, c, menu);
  });
}

// Makes the case affordable, if it has to be: the longest extents give way, each with its place in a tile and
// with at least one tile before it. So what one extent took to reach a branch does not keep another from
// growing. Large cases are slow, and seldom show more than small ones.
bool fit(Case& c, const Menu& menu, CounterRandom& random) {
  const std::int64_t most = kMostElements >> random.below(5);
  Dims& dims = c.instance.dims;
  for (int round = 0; !menu.affordable(c, most); ++round) {
    const auto longest = std::max_element(dims.begin(), dims.end());
    if (round == 16 || longest == dims.end() || *longest < 8) return false;
    const auto tile = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(*longest)) / 2);
    *longest = tile + *longest % tile;
  }
  return true;
}

}  // namespace

std::span<const Mutator> mutators() {
  return kMutators;
}

std::uint8_t mutator_drawn() {
  return kDrawn;
}

Case mutate(const Case& c, const Menu& menu, std::uint64_t seed, std::vector<std::uint8_t>& used) {
  constexpr int kAttempts = 12;
  const bool hopeless = !menu.affordable(c);  // such as libFuzzer's first input
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    CounterRandom random(seed, static_cast<std::uint64_t>(attempt));
    Case child = c;
    used.clear();
    do {
      used.push_back(hopeless ? kDrawn : static_cast<std::uint8_t>(random.below(kMutators.size())));
      kMutators[used.back()].apply(child, menu, random);
    } while (!hopeless && used.size() < 4 && random.below(3) == 0);
    if (!fit(child, menu, random) || child == c) continue;
    // Contents that no gate can judge are kept only where nothing better comes.
    if (is_judged(child, menu) || attempt >= kAttempts / 2) return child;
  }
  used.clear();
  return c;
}

Case cross(const Case& a, const Case& b, const Menu& menu, std::uint64_t seed) {
  constexpr int kAttempts = 4;
  if (a.inputs.size() != b.inputs.size() || a.instance.dims.size() != b.instance.dims.size()) return a;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    CounterRandom random(seed, 0xc0 + static_cast<std::uint64_t>(attempt));
    const auto coin = [&] { return random.below(2) != 0; };
    Case child = a;
    if (coin()) child.instance.dims = b.instance.dims;
    if (coin()) child.instance.dtype = b.instance.dtype;
    if (coin()) child.instance.attributes = b.instance.attributes;
    for (std::size_t i = 0; i < child.inputs.size(); ++i)
      if (coin()) child.inputs[i] = b.inputs[i];
    if (coin()) child.output_offsets = b.output_offsets;
    if (coin()) child.seed = b.seed;
    if (coin()) {
      for (const Plant& p : b.plants)
        if (child.plants.size() < kMostPlants && coin()) child.plants.push_back(p);
    } else if (coin()) {
      child.plants = b.plants;
    }
    if (fit(child, menu, random) && child != a && is_judged(child, menu)) return child;
  }
  if (menu.affordable(a)) return a;
  std::vector<std::uint8_t> used;
  return mutate(b, menu, seed, used);
}

}  // namespace assay::fuzz
