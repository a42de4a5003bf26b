// CMP-01 value: every output element is within its own budget of the truth.
//
// Draws the sizes and contents that every kernel is tried on first: friendly sizes, ordinary fills, the
// primary dtype. Decides elementwise, never by a norm. What it accepts is weighed against independent
// roundings: a case beyond them is suspect, which is no finding.

#include "gates/execute.h"

namespace assay {
namespace {

Draw draw(const Subject&) {
  Draw d;
  d.fills = ordinary_fills();
  return d;
}

std::optional<std::string> applies(const Subject&) {
  return std::nullopt;
}

Verdict judge(const Case& c, const Subject& subject, Runner& runner) {
  return run_and_judge(c, subject, runner, kValueReasons, true);
}

}  // namespace

extern const Gate cmp_01_value;
const Gate cmp_01_value = {
    .id = "CMP-01",
    .title = "value",
    .law = "every output element is within its own budget of the truth",
    .tolerance_free = false,
    .weight = 3,
    .draw = draw,
    .not_applicable = applies,
    .judge = judge,
};

}  // namespace assay
