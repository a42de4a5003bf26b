#include "core/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>

#include "core/dtype.h"

namespace assay {

std::string_view name(Outcome outcome) {
  static constexpr std::array<std::string_view, 8> kNames = {
      "pass", "violated", "beyond budget", "crashed", "hung", "flaky", "not applicable", "undecidable"};
  return kNames[static_cast<std::size_t>(outcome)];
}

bool is_finding(Outcome outcome) {
  switch (outcome) {
    case Outcome::violated:
    case Outcome::beyond_budget:
    case Outcome::crashed:
    case Outcome::hung:
    case Outcome::flaky:
      return true;
    case Outcome::pass:
    case Outcome::not_applicable:
    case Outcome::undecidable:
      return false;
  }
  return false;
}

bool is_poison(double got) {
  const std::uint64_t bytes = 0xA5A5A5A5A5A5A5A5u;
  for (DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16})
    if (decode(dtype, bytes >> (64 - 8 * size_of(dtype))) == got) return true;
  for (DType dtype : {DType::i64, DType::i32})
    if (static_cast<double>(decode_integer(dtype, bytes >> (64 - 8 * size_of(dtype)))) == got) return true;
  return false;
}

std::string describe(const Evidence& e) {
  std::string text = e.kind;
  if (!e.output.empty()) {
    text += fmt::format(" at {}", e.output);
    if (!e.index.empty()) text += fmt::format("[{}]", fmt::join(e.index, ", "));
  }
  // The sign of a NaN says nothing.
  if (e.got) {
    text += fmt::format(": got {:.9g}", std::isnan(*e.got) ? std::abs(*e.got) : *e.got);
    if (is_poison(*e.got)) text += " (the poison: never written)";
  }
  if (e.truth) text += fmt::format(", true value {:.9g}", *e.truth);
  const bool finite = !e.truth || std::isfinite(*e.truth);
  if (finite && e.low && e.high) text += fmt::format(", accepted [{:.9g}, {:.9g}]", *e.low, *e.high);
  if (e.excess && *e.excess > 0) text += fmt::format(", {:.3g} times the budget", *e.excess);
  if (e.bad_elements > 1) text += fmt::format("; {} elements", e.bad_elements);
  if (!e.detail.empty()) text += fmt::format("{}{}", text.empty() ? "" : "; ", e.detail);
  if (!e.location.empty()) text += fmt::format(" ({})", e.location);
  return text;
}

}  // namespace assay
