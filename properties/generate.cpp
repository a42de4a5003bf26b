#include "properties/generate.h"

#include <algorithm>

#include "core/random.h"
#include "gates/execute.h"
#include "gates/sparse.h"
#include "properties/shrink.h"
#include "properties/sizes.h"

namespace assay {
namespace {

// Columns where tiles and warps end.
constexpr std::int64_t kEdges[] = {1, 31, 32, 33, 63, 64, 127, 128, 255, 256, 511, 512, 1023, 1024};

Place draw_row(std::int64_t rows, CounterRandom& random) {
  const auto inside = static_cast<std::uint64_t>(std::max<std::int64_t>(rows, 1));
  switch (random.below(3)) {
    case 0:
      return {false, static_cast<std::uint16_t>(std::min<std::uint64_t>(random.below(3), inside - 1))};
    case 1:
      return {true, static_cast<std::uint16_t>(std::min<std::uint64_t>(random.below(3), inside - 1))};
    default:
      return {false, static_cast<std::uint16_t>(random.below(std::min<std::uint64_t>(inside, 0xffff)))};
  }
}

Place draw_column(std::int64_t columns, CounterRandom& random) {
  const auto inside = static_cast<std::uint64_t>(std::max<std::int64_t>(columns, 1));
  switch (random.below(4)) {
    case 0:
      return {false, 0};
    case 1:
      return {true, static_cast<std::uint16_t>(random.below(std::min<std::uint64_t>(inside, 4)))};
    case 2: {
      const std::int64_t edge = kEdges[random.below(std::size(kEdges))];
      if (edge < columns) return {false, static_cast<std::uint16_t>(edge)};
      return {true, 0};
    }
    default:
      return {false, static_cast<std::uint16_t>(random.below(std::min<std::uint64_t>(inside, 0xffff)))};
  }
}

Fill draw_fill(const std::vector<Weighted>& fills, CounterRandom& random) {
  std::uint64_t total = 0;
  for (const Weighted& weighted : fills) total += static_cast<std::uint64_t>(weighted.weight);
  if (total == 0) return Fill::normal;
  std::uint64_t at = random.below(total);
  for (const Weighted& weighted : fills) {
    const auto weight = static_cast<std::uint64_t>(weighted.weight);
    if (at < weight) return weighted.fill;
    at -= weight;
  }
  return fills.back().fill;
}

void draw_plants(Case& c, const Draw& draw, const Shapes& shapes, CounterRandom& random) {
  if (draw.plants.empty() || draw.max_plants < 1) return;
  std::vector<std::uint8_t> floats, indices;
  for (std::size_t i = 0; i < shapes.inputs.size() && i < 256; ++i) {
    if (count(shapes.inputs[i].shape) == 0) continue;
    if (is_float(shapes.inputs[i].dtype)) floats.push_back(static_cast<std::uint8_t>(i));
    if (shapes.inputs[i].is_index) indices.push_back(static_cast<std::uint8_t>(i));
  }
  if (floats.empty()) return;
  const auto extents = [&](std::uint8_t input) {
    const Dims& shape = shapes.inputs[input].shape;
    const std::int64_t columns = shape.empty() ? 1 : shape.back();
    return std::pair{count(shape) / columns, columns};
  };

  const std::uint8_t input = floats[random.below(floats.size())];
  const auto [rows, columns] = extents(input);
  const Special special = draw.plants[random.below(draw.plants.size())];
  if (columns <= draw.max_plants && draw.max_plants >= 8 && random.below(3) == 0) {
    const Place row = draw_row(rows, random);  // a row that is special throughout
    for (std::int64_t j = 0; j < columns; ++j)
      c.plants.push_back({input, row, {false, static_cast<std::uint16_t>(j)}, special});
    return;
  }
  // Few plants are the rule: two of four cases have the least number.
  const auto span = static_cast<std::uint64_t>(draw.max_plants - draw.min_plants);
  std::uint64_t more = 0;
  if (random.below(2)) more = random.below(std::min<std::uint64_t>(span, 3) + 1);
  if (random.below(8) == 0) more = random.below(span + 1);
  const std::uint64_t plants = static_cast<std::uint64_t>(draw.min_plants) + more;
  for (std::uint64_t k = 0; k < plants; ++k) {
    const std::uint8_t into = k == 0 ? input : floats[random.below(floats.size())];
    const auto [r, n] = extents(into);
    const Special value = k == 0 ? special : draw.plants[random.below(draw.plants.size())];
    c.plants.push_back({into, draw_row(r, random), draw_column(n, random), value});
  }
  constexpr Special kIndexSpecials[] = {Special::first, Special::last, Special::ignored};
  for (std::uint8_t index : indices) {
    if (random.below(2)) continue;
    const auto [r, n] = extents(index);
    c.plants.push_back({index, draw_row(r, random), draw_column(n, random), kIndexSpecials[random.below(3)]});
  }
}

Case draw_from(const Subject& subject, const Gate& gate, CounterRandom random) {
  const Draw draw = gate.draw(subject);
  const Signature& signature = subject.contract.signature();
  Case c;
  c.contract = signature.name;
  c.inputs.resize(signature.inputs.size());
  c.output_offsets.resize(signature.outputs.size());
  c.seed = random.next();
  const bool huge = draw.huge && random.below(64) == 0;
  const auto instance = draw_instance(subject, draw, huge, random);
  if (!instance) {
    // No dims: outside every domain but that of a contract without any.
    c.instance.dtype = subject.dtypes.front();
    return c;
  }
  c.instance = *instance;
  const auto shapes = shapes_of(subject.contract, c.instance);
  if (!shapes) return c;

  const Fill shared = draw_fill(draw.fills, random);
  for (InputRecipe& recipe : c.inputs) {
    recipe.fill = draw.same_fill ? shared : draw_fill(draw.fills, random);
    recipe.order = draw.orders.empty() ? Order::drawn : draw.orders[random.below(draw.orders.size())];
    if (draw.scales && random.below(2))
      recipe.scale = static_cast<std::int8_t>(static_cast<int>(random.below(17)) - 8);
  }
  if (is_huge(*shapes)) return c;
  if (draw.offsets && random.below(2)) {
    const std::uint64_t units = std::max<std::uint64_t>(256 / subject.contract.alignment(), 1);
    for (InputRecipe& recipe : c.inputs) recipe.offset = static_cast<std::uint8_t>(random.below(units));
    for (std::uint8_t& offset : c.output_offsets) offset = static_cast<std::uint8_t>(random.below(units));
  }
  draw_plants(c, draw, *shapes, random);
  return c;
}

std::uint64_t stream_of(const Gate& gate) {
  std::uint64_t hash = 0;
  for (char letter : gate.id) hash = mix(hash ^ static_cast<unsigned char>(letter));
  return hash;
}

}  // namespace

bool in_domain(const Case& c, const Subject& subject) {
  const Signature& signature = subject.contract.signature();
  if (c.instance.dims.size() != signature.dims.size() ||
      c.instance.attributes.size() != signature.attributes.size() ||
      c.inputs.size() != signature.inputs.size() || c.output_offsets.size() != signature.outputs.size())
    return false;
  if (std::find(subject.dtypes.begin(), subject.dtypes.end(), c.instance.dtype) == subject.dtypes.end())
    return false;
  if (!admits(subject.contract, c.instance) || !subject.where.holds(c.instance)) return false;
  const auto shapes = shapes_of(subject.contract, c.instance);
  return shapes && (!is_huge(*shapes) || sparse_form(subject.contract) != SparseForm::none);
}

Case draw_case(const Subject& subject, const Gate& gate, std::uint64_t seed, std::uint64_t number) {
  return draw_from(subject, gate, CounterRandom(seed, stream_of(gate) + number));
}

rc::Gen<Case> cases(const Subject& subject, const Gate& gate) {
  return rc::Gen<Case>([&subject, &gate](const rc::Random& random, int) {
    rc::Random copy = random;
    const std::uint64_t seed = copy.next();
    return rc::shrinkable::shrinkRecur(draw_from(subject, gate, CounterRandom(seed, stream_of(gate))),
                                       [&subject](const Case& c) { return shrink(c, subject); });
  });
}

}  // namespace assay
