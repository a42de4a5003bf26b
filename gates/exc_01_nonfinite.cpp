// EXC-01 non-finite: NaN, +Inf and -Inf stand in the output exactly where the contract has them.
//
// Draws rows of ordinary values with NaN or infinities planted in some of them, at row ends and tile edges,
// rows that are special throughout, and rows below the sentinels that kernels use for -Inf. Decides on
// classes alone: the value of a finite element is CMP-01's, and so is a kernel that is wrong on ordinary
// contents of the same shape.

#include "gates/execute.h"

namespace assay {
namespace {

Draw draw(const Subject&) {
  Draw d;
  d.sizes = Sizes::any;
  d.dtypes = Dtypes::all;
  d.fills = {{Fill::normal, 6}, {Fill::uniform, 2}, {Fill::negative, 2}, {Fill::large, 1}, {Fill::below, 2}};
  d.plants = {Special::nan, Special::nan, Special::negative_nan, Special::pos_inf, Special::neg_inf};
  d.min_plants = 1;
  d.max_plants = 12;
  d.max_elements = 512;
  return d;
}

std::optional<std::string> not_applicable(const Subject& subject) {
  for (const TensorSignature& input : subject.contract.signature().inputs)
    if (input.type.kind == ElementType::Kind::floating ||
        (input.type.kind == ElementType::Kind::fixed && is_float(input.type.fixed)))
      return std::nullopt;
  return "the contract reads no floating-point input";
}

Verdict judge(const Case& c, const Subject& subject, Runner& runner) {
  // The position of a NaN or an infinity is what a search must answer with.
  const bool search = subject.contract.is_argument_search();
  const Reasons reasons = search ? Reasons::of({Reason::nan, Reason::infinity, Reason::index})
                                 : Reasons::of({Reason::nan, Reason::infinity});
  const Verdict verdict = run_and_judge(c, subject, runner, reasons);
  // A finding with an element of an output as its evidence; a crash or a refusal has none.
  const bool wrong = is_finding(verdict.outcome) && !verdict.evidence.output.empty();
  if (wrong && !right_on(Fill::normal, c, subject, runner)) return Verdict::pass();
  return verdict;
}

}  // namespace

extern const Gate exc_01_nonfinite;
const Gate exc_01_nonfinite = {
    .id = "EXC-01",
    .title = "non-finite",
    .law = "NaN, +Inf and -Inf stand in the output exactly where the contract has them",
    .tolerance_free = true,
    .weight = 3,
    .draw = draw,
    .not_applicable = not_applicable,
    .judge = judge,
};

}  // namespace assay
