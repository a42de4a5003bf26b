// PRC-02 accumulator: sums keep what the declared accumulator keeps.
//
// Draws long rows on which a narrower accumulator loses whole terms: a power of two that swallows ones,
// many equal terms, and operands with one bit below the significand of a narrower format (1 + 2^-12 in f32
// shows TF32). A kernel is refused whose values are wrong there and whose very bits a narrower accumulator
// gives, or which is right on small integers there and on the same contents of short rows; the evidence names
// the narrower accumulator that gives the kernel's very bits, where one does.
//
// The accumulator of a recurrence is its state. What its sums keep on exact contents depends on how it is
// unrolled, so it is drawn long drift instead: many steps of small updates, of which a narrower state keeps
// nothing once they are below its last place. A kernel is refused that is beyond its budget there and not on
// few steps.

#include <fmt/format.h>

#include "core/text.h"
#include "gates/execute.h"
#include "gates/short_rows.h"
#include "oracle/recursion.h"

namespace assay {
namespace {

bool is_recurrence(const Subject& subject) {
  return lang::is_recursive(subject.contract.program());
}

Draw draw(const Subject& subject) {
  Draw d;
  d.sizes = Sizes::long_row;
  d.dtypes = Dtypes::all;
  d.same_fill = false;
  if (is_recurrence(subject)) {
    d.many_steps = true;
    d.fills = {{Fill::small, 4}, {Fill::normal, 2}, {Fill::uniform, 2}};
    return d;
  }
  d.fills = {{Fill::swamping, 4}, {Fill::probe, 4}, {Fill::constant, 2}, {Fill::ties, 2}};
  return d;
}

std::optional<std::string> applies(const Subject& subject) {
  if (!subject.contract.has_reduction() && !is_recurrence(subject)) return "the contract accumulates nothing";
  return std::nullopt;
}

struct Narrower {
  std::string_view name;
  Simulation simulation;
};

// What the kernel may have kept its sums in, narrower than declared.
std::vector<Narrower> narrower_than(DType accumulator) {
  std::vector<Narrower> result;
  if (accumulator == DType::f64) result.push_back({"f32", {DType::f32, false}});
  if (accumulator == DType::f64 || accumulator == DType::f32) {
    result.push_back({"operands rounded to TF32", {accumulator, true}});
    result.push_back({"f16", {DType::f16, false}});
    result.push_back({"bf16", {DType::bf16, false}});
  }
  if (accumulator == DType::f16) result.push_back({"bf16", {DType::bf16, false}});
  return result;
}

// Whether it takes a sum to go wrong: the kernel is right on small integers of the same shape, which every
// accumulator keeps, and on the same contents where hardly anything is accumulated.
bool needs_a_sum(const Case& c, const Subject& subject, Runner& runner) {
  if (!right_on(Fill::ties, c, subject, runner)) return false;
  for (const std::int64_t most : {2, 4, 8, 16, 32}) {
    const auto brief = with_short_rows(c, most, subject);
    if (!brief) continue;
    if (brief->instance == c.instance) return false;
    return !is_finding(run_and_judge(*brief, subject, runner, kValueReasons).outcome);
  }
  return true;  // the domain has no short rows
}

// Of a recurrence: whether few of its steps are right.
bool drifts(const Case& c, const Subject& subject, Runner& runner) {
  for (const std::int64_t most : {8, 16, 32}) {
    const auto brief = with_short_rows(c, most, subject);
    if (!brief) continue;
    return brief->instance != c.instance &&
           !is_finding(run_and_judge(*brief, subject, runner, kValueReasons).outcome);
  }
  return false;
}

Verdict judge(const Case& c, const Subject& subject, Runner& runner) {
  const Realised tensors = realise(c, subject);
  const RunResult result = runner.run(launch_of(c, tensors), Build::fast);
  if (auto verdict = no_outputs(result, c, subject)) return *verdict;
  const bool recurrence = is_recurrence(subject);
  const Reasons reasons =
      recurrence ? Reasons::of({Reason::value}) : Reasons::of({Reason::value, Reason::exact});
  Verdict verdict = judge_outputs(c, subject, tensors, result.outputs, reasons, runner.tally);
  if (!is_finding(verdict.outcome)) return verdict;

  const DType declared = subject.contract.accumulator(c.instance.dtype);
  if (recurrence) {
    if (!drifts(c, subject, runner)) return Verdict::pass();
    verdict.outcome = Outcome::violated;
    verdict.evidence.kind = "accumulator";
    verdict.evidence.detail =
        fmt::format("the state drifts: over many steps it loses what {} keeps", name(declared));
    return verdict;
  }
  std::vector<std::string> fitting;
  for (const Narrower& narrower : narrower_than(declared))
    if (simulate(subject.contract, c.instance, tensors.inputs, narrower.simulation) == result.outputs)
      fitting.emplace_back(narrower.name);
  if (fitting.empty() && !needs_a_sum(c, subject, runner)) return Verdict::pass();
  verdict.outcome = Outcome::violated;
  verdict.evidence.kind = "accumulator";
  verdict.evidence.detail = fitting.empty() ? fmt::format("terms are lost that {} keeps", name(declared))
                                            : fmt::format("declared {}; these bits come from: {}",
                                                          name(declared), join(fitting, ", "));
  return verdict;
}

}  // namespace

extern const Gate prc_02_accumulator;
const Gate prc_02_accumulator = {
    .id = "PRC-02",
    .title = "accumulator",
    .law = "sums keep what the declared accumulator keeps",
    .tolerance_free = true,
    .weight = 1,
    .draw = draw,
    .not_applicable = applies,
    .judge = judge,
};

}  // namespace assay
