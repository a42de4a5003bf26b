// __launch_bounds__(n) of a kernel's definition: its body begins with a check of the launch.

#include <algorithm>
#include <optional>
#include <string>

#include "kernels/cpu/rewrites.h"

namespace assay::cpu {
namespace {

// The position after the arguments of what may stand before a kernel's name and has some, or i.
std::size_t after_attribute(const Text& text, std::size_t i) {
  static constexpr std::string_view words[] = {"__launch_bounds__", "__cluster_dims__", "__maxnreg__",
                                               "__attribute__",     "__align__",        "alignas",
                                               "decltype",          "noexcept",         "requires"};
  if (std::find(std::begin(words), std::end(words), text[i].text) == std::end(words) || !text[i + 1].is("("))
    return i;
  const auto close = text.closing(i + 1);
  return close ? *close + 1 : i;
}

// The position of the `{` of the function whose declaration has specifiers from i on; nothing for a
// declaration only.
std::optional<std::size_t> body(const Text& text, std::size_t i) {
  while (i < text.size() && !text[i].is("(") && !text[i].is(";") && !text[i].is("{")) {
    const std::size_t next = after_attribute(text, i);
    i = next == i ? i + 1 : next;
  }
  if (!text[i].is("(")) return std::nullopt;
  const auto close = text.closing(i);
  if (!close || !text[*close + 1].is("{")) return std::nullopt;
  return *close + 1;
}

}  // namespace

void rewrite_launch_bounds(Text& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!text[i].is("__launch_bounds__") || !text[i + 1].is("(")) continue;
    const auto close = text.closing(i + 1);
    const auto open = close ? body(text, *close + 1) : std::nullopt;
    if (!open) continue;
    std::size_t end = i + 2;  // of the first argument
    for (int depth = 0; end < *close; ++end) {
      const Token& t = text[end];
      if (depth == 0 && t.is(",")) break;
      if (t.is("(") || t.is("[") || t.is("{")) ++depth;
      if (t.is(")") || t.is("]") || t.is("}")) --depth;
    }
    text.insert_after(*open, " ASSAY_LAUNCH_BOUNDS(" + text.joined(i + 2, end) + ")");
  }
}

}  // namespace assay::cpu
