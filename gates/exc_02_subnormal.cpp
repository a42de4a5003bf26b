// EXC-02 subnormals, zeros, ties: subnormals are kept or flushed as declared, zeros have the contract's sign,
// the first of several equal extremes wins.
//
// Draws subnormals, signed zeros and few distinct values. Decides the sign of a zero everywhere; a value only
// where flushing can be the cause (the truth or the answer is zero or subnormal); an index of a search; and
// all of them only where the kernel is right on ordinary contents of the same shape.

#include <cmath>

#include "gates/execute.h"

namespace assay {
namespace {

Draw draw(const Subject& subject) {
  Draw d;
  d.sizes = Sizes::any;
  d.dtypes = Dtypes::all;
  d.fills = {{Fill::subnormal, 4}, {Fill::zeros, 3}, {Fill::normal, 2}};
  d.fills.push_back({Fill::ties, subject.contract.is_argument_search() ? 8 : 2});
  d.plants = {Special::neg_zero,          Special::pos_zero,     Special::least_subnormal,
              Special::largest_subnormal, Special::least_normal, Special::neg_zero};
  d.max_plants = 8;
  d.max_elements = 512;
  return d;
}

std::optional<std::string> applies(const Subject&) {
  return std::nullopt;
}

bool is_tiny(double value, DType dtype) {
  return is_float(dtype) && std::fabs(value) < format_of(dtype).least_normal();
}

Verdict judge(const Case& c, const Subject& subject, Runner& runner) {
  const Realised tensors = realise(c, subject);
  const RunResult result = runner.run(launch_of(c, tensors), Build::fast);
  if (auto verdict = no_outputs(result, c, subject)) return *verdict;

  Judge oracle(subject.contract, c.instance, tensors.inputs, subject.allow);
  struct Found {
    std::size_t output = 0;
    std::int64_t index = 0, bad = 0;
    ElementReport report;
  };
  Found sign, value;
  for (std::size_t output = 0; output < result.outputs.size(); ++output) {
    const Tensor& got = result.outputs[output];
    for (std::int64_t i = 0; i < got.size(); ++i) {
      const ElementReport report = oracle.element(output, i, got.bits(i));
      ++runner.tally.elements;
      runner.tally.by_mpfr += report.by_mpfr;
      runner.tally.useless += report.useless;
      if (report.ruling != Ruling::refused) continue;
      const bool flushed = (report.reason == Reason::value || report.reason == Reason::exact) &&
                           (is_tiny(report.truth, got.dtype()) || is_tiny(report.got, got.dtype()));
      Found* found = nullptr;
      if (report.reason == Reason::zero_sign) found = &sign;
      if (flushed || report.reason == Reason::index) found = &value;
      if (found && found->bad++ == 0) {
        found->output = output;
        found->index = i;
        found->report = report;
      }
    }
  }
  if (value.bad + sign.bad == 0 || !right_on(Fill::normal, c, subject, runner)) return Verdict::pass();
  if (value.bad > 0) {
    Verdict verdict = refused(subject, tensors, value.output, value.index, value.report, value.bad);
    verdict.outcome = Outcome::violated;
    if (value.report.reason != Reason::index) verdict.evidence.kind = "subnormal";
    return verdict;
  }
  return refused(subject, tensors, sign.output, sign.index, sign.report, sign.bad);
}

}  // namespace

extern const Gate exc_02_subnormal;
const Gate exc_02_subnormal = {
    .id = "EXC-02",
    .title = "subnormals, zeros, ties",
    .law =
        "subnormals are kept or flushed as declared, zeros have the contract's sign, the first of equal "
        "extremes wins",
    .tolerance_free = true,
    .weight = 2,
    .draw = draw,
    .not_applicable = applies,
    .judge = judge,
};

}  // namespace assay
