// CMP-03 shape and layout: the contract holds at every extent, also 0, 1, the neighbours of powers of two,
// primes, and past 2^31 elements, at every address that the contract allows.
//
// Draws ordinary contents at the boundary lattice. Decides as CMP-01 does; that nothing crashes is part of
// it. Huge cases run only some of their blocks (gates/sparse.h); there a launch that fails is a finding by
// itself.

#include "gates/execute.h"
#include "gates/sparse.h"

namespace assay {
namespace {

Draw draw(const Subject& subject) {
  Draw d;
  d.sizes = Sizes::boundary;
  d.fills = {{Fill::normal, 4}, {Fill::uniform, 2}, {Fill::negative, 1}, {Fill::cancelling, 1}};
  d.offsets = true;
  d.max_elements = 1024;
  d.huge = sparse_form(subject.contract) != SparseForm::none;
  return d;
}

std::optional<std::string> applies(const Subject&) {
  return std::nullopt;
}

Verdict judge(const Case& c, const Subject& subject, Runner& runner) {
  const auto shapes = shapes_of(subject.contract, c.instance);
  if (!shapes) return not_applicable(shapes.error().message);
  if (is_huge(*shapes) || has_many_rows(subject.contract, c.instance))
    return judge_sparse(c, subject, runner, kValueReasons);
  const Realised tensors = realise(c, subject);
  const RunResult result = runner.run(launch_of(c, tensors), Build::fast);
  if (auto verdict = no_outputs(result, c, subject)) return *verdict;
  Verdict verdict = judge_outputs(c, subject, tensors, result.outputs, kValueReasons, runner.tally);
  // Wrong because a launch failed: the same finding as where only some blocks run.
  if (is_finding(verdict.outcome))
    if (auto failed = diagnosed(result.diagnostics, kLaunchFaults)) return *failed;
  return verdict;
}

}  // namespace

extern const Gate cmp_03_shape;
const Gate cmp_03_shape = {
    .id = "CMP-03",
    .title = "shape and layout",
    .law =
        "the contract holds at every extent, also 0, 1, primes and past 2^31 elements, at every legal "
        "address",
    .tolerance_free = false,
    .weight = 4,
    .draw = draw,
    .not_applicable = applies,
    .judge = judge,
};

}  // namespace assay
