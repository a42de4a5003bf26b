#include "core/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/text.h"

namespace assay {
namespace {

constexpr std::array<std::string_view, kFills> kFillNames = {
    "normal", "uniform",  "negative",   "shifted",  "offset", "large", "wide",      "small", "grid",
    "ties",   "constant", "cancelling", "swamping", "probe",  "below", "subnormal", "zeros", "huge"};
constexpr std::array<std::string_view, kOrders> kOrderNames = {"drawn", "ascending", "descending",
                                                               "alternating", "reversed"};
constexpr std::array<std::string_view, kSpecials> kSpecialNames = {
    "nan",          "inf",     "-inf",    "0",   "-0", "least_subnormal", "largest_subnormal",
    "least_normal", "largest", "lowest",  "1",   "-1", "spike",           "dip",
    "first",        "last",    "ignored", "-nan"};

template <class Enum, std::size_t N>
std::optional<Enum> parse(const std::array<std::string_view, N>& names, std::string_view text) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

std::string describe(const char* what, const Place& place) {
  return place.from_end ? fmt::format("{} {} from end", what, place.distance)
                        : fmt::format("{} {}", what, place.distance);
}

}  // namespace

std::int64_t Place::in(std::int64_t extent) const {
  const std::int64_t inside = std::min<std::int64_t>(distance, extent - 1);
  return from_end ? extent - 1 - inside : inside;
}

std::string_view name(Fill fill) {
  return kFillNames[static_cast<std::size_t>(fill)];
}
std::string_view name(Order order) {
  return kOrderNames[static_cast<std::size_t>(order)];
}
std::string_view name(Special special) {
  return kSpecialNames[static_cast<std::size_t>(special)];
}
std::optional<Fill> parse_fill(std::string_view text) {
  return parse<Fill>(kFillNames, text);
}
std::optional<Order> parse_order(std::string_view text) {
  return parse<Order>(kOrderNames, text);
}
std::optional<Special> parse_special(std::string_view text) {
  return parse<Special>(kSpecialNames, text);
}

std::string describe(const Case& c, const Signature& signature) {
  std::string text = fmt::format("{} {}", c.contract, name(c.instance.dtype));
  for (std::size_t i = 0; i < signature.dims.size(); ++i)
    text += fmt::format(" {}={}", signature.dims[i], c.instance.dims[i]);
  for (std::size_t i = 0; i < signature.attributes.size(); ++i) {
    if (c.instance.attributes[i] != signature.attributes[i].fallback)
      text += fmt::format(" {}={}", signature.attributes[i].name, c.instance.attributes[i]);
  }
  for (std::size_t i = 0; i < signature.inputs.size(); ++i) {
    const InputRecipe& recipe = c.inputs[i];
    text += fmt::format("; {} {}", signature.inputs[i].name, name(recipe.fill));
    if (recipe.scale) text += fmt::format(" * 2^{}", recipe.scale);
    if (recipe.order != Order::drawn) text += fmt::format(" {}", name(recipe.order));
    if (recipe.offset) text += fmt::format(" at offset {}", recipe.offset);
    for (const Plant& plant : c.plants) {
      if (plant.input == i)
        text += fmt::format(", {} at {}, {}", name(plant.value), describe("row", plant.row),
                            describe("column", plant.column));
    }
  }
  return text;
}

}  // namespace assay
