// ORD-03 exact sums: where every partial sum in any order is representable, the answer is exact.
//
// Draws integers so small that no order of summation rounds. Such an answer must match bit for bit: one
// dropped or doubled term among thousands is seen, which no a-priori bound can. Cases without an exact
// element say nothing and are not applicable; a kernel that is wrong on ordinary contents of short rows
// is CMP-01's or CMP-03's.

#include "gates/execute.h"
#include "gates/short_rows.h"
#include "oracle/recursion.h"

namespace assay {
namespace {

Draw draw(const Subject&) {
  Draw d;
  d.fills = {{Fill::grid, 3}, {Fill::ties, 2}, {Fill::swamping, 1}};
  d.long_rows = true;
  return d;
}

std::optional<std::string> applies(const Subject& subject) {
  if (!subject.contract.has_sum())
    return "the contract has no plain sum, so no answer is exact in every order";
  if (lang::is_recursive(subject.contract.program()))
    return "the contract is a recurrence: what is exact in it depends on how it is unrolled";
  return std::nullopt;
}

Verdict judge(const Case& c, const Subject& subject, Runner& runner) {
  const Realised tensors = realise(c, subject);
  const RunResult result = runner.run(launch_of(c, tensors), Build::fast);
  if (auto verdict = no_outputs(result, c, subject)) return *verdict;

  Judge oracle(subject.contract, c.instance, tensors.inputs, subject.allow);
  std::int64_t exact = 0;
  for (std::size_t output = 0; output < result.outputs.size(); ++output) {
    const OutputReport report = oracle.all(output, result.outputs[output], Reasons::of({Reason::exact}));
    runner.tally.elements += report.judged;
    runner.tally.by_mpfr += report.by_mpfr;
    runner.tally.useless += report.useless;
    exact += report.exact;
    if (report.first_refused >= 0) {
      const auto brief = with_short_rows(c, 32, subject);
      if (brief && !right_on(Fill::normal, *brief, subject, runner)) return Verdict::pass();
      Verdict verdict = refused(subject, tensors, output, report.first_refused, report.first, report.refused);
      verdict.evidence.kind = "exact";
      return verdict;
    }
  }
  if (exact == 0) return not_applicable("no element of the case has an exact answer");
  return Verdict::pass();
}

}  // namespace

extern const Gate ord_03_exact;
const Gate ord_03_exact = {
    .id = "ORD-03",
    .title = "exact sums",
    .law = "where every partial sum in any order is representable, the answer is exact",
    .tolerance_free = true,
    .weight = 2,
    .draw = draw,
    .not_applicable = applies,
    .judge = judge,
};

}  // namespace assay
