// PRC-01 dtype: the value gate holds for each dtype that the kernel claims.
//
// Draws what CMP-01 draws, in every dtype that the kernel takes but its primary one. A refusal is not
// applicable, never a violation.

#include "gates/execute.h"

namespace assay {
namespace {

Draw draw(const Subject&) {
  Draw d;
  d.dtypes = Dtypes::others;
  d.fills = ordinary_fills();
  return d;
}

std::optional<std::string> applies(const Subject& subject) {
  if (subject.dtypes.size() < 2) return "the kernel takes one dtype";
  return std::nullopt;
}

Verdict judge(const Case& c, const Subject& subject, Runner& runner) {
  return run_and_judge(c, subject, runner, kValueReasons);
}

}  // namespace

extern const Gate prc_01_dtype;
const Gate prc_01_dtype = {
    .id = "PRC-01",
    .title = "dtype",
    .law = "the value gate holds for each dtype that the kernel claims",
    .tolerance_free = false,
    .weight = 2,
    .draw = draw,
    .not_applicable = applies,
    .judge = judge,
};

}  // namespace assay
