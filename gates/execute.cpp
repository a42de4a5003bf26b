#include "gates/execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/realise.h"

namespace assay {
namespace {

Verdict reasoned(Outcome outcome, std::string kind, std::string reason) {
  Verdict verdict{outcome, {}};
  verdict.evidence.kind = std::move(kind);
  verdict.evidence.detail = std::move(reason);
  return verdict;
}

constexpr std::string_view kInfrastructure = "infrastructure";
constexpr std::string_view kUnanswered = "unanswered";
constexpr std::string_view kUnbound = "unbound";

template <class Result>
std::optional<Verdict> stopped(const Result& result) {
  using Status = RunResult::Status;
  Verdict verdict;
  switch (result.status) {
    case Status::ok:
      return std::nullopt;
    case Status::refused:
      return unanswered(result.detail.empty() ? "the kernel was not called" : result.detail);
    case Status::unbound:
      return reasoned(Outcome::undecidable, std::string(kUnbound), result.detail);
    case Status::infrastructure:
      return infrastructure(result.detail);
    case Status::crashed:
      verdict = reasoned(Outcome::crashed, "crash", result.detail);
      break;
    case Status::hung:
      verdict = reasoned(Outcome::hung, "hang", result.detail);
      break;
  }
  if (!result.diagnostics.empty()) {
    const Diagnostic& cause = result.diagnostics.back();
    verdict.evidence.kind = cause.kind;
    verdict.evidence.detail = cause.text;
    verdict.evidence.location = cause.location;
  }
  return verdict;
}

// A call that returned a code instead of an answer.
Verdict refusal(const RunResult& result) {
  Verdict verdict = reasoned(
      Outcome::violated, "refused",
      fmt::format("the entry returned {} for a case of its domain; --where says what a kernel claims",
                  result.refusal));
  if (!result.diagnostics.empty()) {
    const Diagnostic& cause = result.diagnostics.back();
    verdict.evidence.detail += fmt::format("; {}: {}", cause.kind, cause.text);
    verdict.evidence.location = cause.location;
  }
  return verdict;
}

// Of so many cases one is weighed: it costs a third of a judgement, and a run has hundreds.
constexpr std::uint64_t kWeighEvery = 4;

// Errors of sums that are allowed, in the size of independent roundings.
void weigh_errors(const Subject& subject, const std::vector<Tensor>& outputs, Judge& judge, Tally& tally) {
  if (!subject.contract.has_reduction()) return;
  bool suspect = false;
  for (std::size_t output = 0; output < outputs.size(); ++output) {
    const auto sentence = judge.suspicion(output, outputs[output], &tally.strain);
    suspect |= sentence.has_value();
    if (sentence && tally.suspicion.empty()) tally.suspicion = *sentence;
  }
  tally.suspect += suspect;
}

Outcome outcome_of(Reason reason) {
  return reason == Reason::value ? Outcome::beyond_budget : Outcome::violated;
}

}  // namespace

std::int64_t elements(const Shapes& shapes) {
  std::int64_t sum = 0;
  for (const TensorSpec& spec : shapes.inputs) sum += count(spec.shape);
  for (const TensorSpec& spec : shapes.outputs) sum += count(spec.shape);
  return sum;
}

Realised realise(const Case& c, const Subject& subject) {
  auto shapes = shapes_of(subject.contract, c.instance);
  assert(shapes);
  Realised tensors{std::move(*shapes), {}, {}};
  tensors.inputs = realise(c, tensors.shapes);
  const auto unit = static_cast<std::uint32_t>(subject.contract.alignment());
  for (const InputRecipe& recipe : c.inputs) tensors.offsets.push_back(recipe.offset * unit);
  for (std::uint8_t offset : c.output_offsets) tensors.offsets.push_back(offset * unit);
  return tensors;
}

Launch launch_of(const Case& c, const Realised& tensors) {
  Launch launch;
  launch.instance = c.instance;
  launch.inputs = tensors.inputs;
  launch.outputs = tensors.shapes.outputs;
  launch.offsets = tensors.offsets;
  // A block of threads for each of some thousand rows takes its time on a CPU, however short they are.
  std::int64_t longest = 0;
  for (const std::int64_t n : c.instance.dims) longest = std::max(longest, n);
  const std::int64_t rows = std::min<std::int64_t>(longest, 8192);
  launch.deadline = std::chrono::milliseconds(1000 + elements(tensors.shapes) / 100 + rows / 2);
  return launch;
}

Verdict not_applicable(std::string reason) {
  return reasoned(Outcome::not_applicable, "", std::move(reason));
}
Verdict unanswered(std::string reason) {
  return reasoned(Outcome::not_applicable, std::string(kUnanswered), std::move(reason));
}
bool is_unanswered(const Verdict& verdict) {
  return verdict.outcome == Outcome::not_applicable && verdict.evidence.kind == kUnanswered;
}
Verdict undecidable(std::string reason) {
  return reasoned(Outcome::undecidable, "", std::move(reason));
}
Verdict infrastructure(std::string reason) {
  return reasoned(Outcome::undecidable, std::string(kInfrastructure), std::move(reason));
}
bool is_infrastructure(const Verdict& verdict) {
  return verdict.outcome == Outcome::undecidable && verdict.evidence.kind == kInfrastructure;
}

bool is_unbound(const Verdict& verdict) {
  return verdict.outcome == Outcome::undecidable && verdict.evidence.kind == kUnbound;
}

std::optional<Verdict> no_outputs(const RunResult& result, const Case& c, const Subject& subject) {
  const bool may_refuse = c.instance.dtype != subject.dtypes.front();
  if (may_refuse && result.status == RunResult::Status::refused && result.refusal != 0)
    return not_applicable(fmt::format("the kernel refused {}", name(c.instance.dtype)));
  return no_outputs(result);
}
std::optional<Verdict> no_outputs(const RunResult& result) {
  if (result.status == RunResult::Status::refused && result.refusal != 0) return refusal(result);
  return stopped(result);
}
std::optional<Verdict> no_outputs(const SparseResult& result) {
  return stopped(result);
}

std::optional<Verdict> diagnosed(std::span<const Diagnostic> diagnostics,
                                 std::span<const std::string_view> kinds) {
  for (const Diagnostic& diagnostic : diagnostics) {
    for (std::string_view kind : kinds) {
      if (diagnostic.kind != kind) continue;
      Verdict verdict = reasoned(Outcome::violated, diagnostic.kind, diagnostic.text);
      verdict.evidence.location = diagnostic.location;
      return verdict;
    }
  }
  return std::nullopt;
}

Verdict refused(const Subject& subject, const Realised& tensors, std::size_t output, std::int64_t index,
                const ElementReport& report, std::int64_t bad_elements) {
  Verdict verdict{outcome_of(report.reason), {}};
  Evidence& evidence = verdict.evidence;
  // An exact answer and a budget are two ways to see one wrong value; beside a true NaN, which some formulas
  // give as an infinity, it is the NaN that is missing.
  Reason reason = report.reason;
  if (reason == Reason::exact) reason = Reason::value;
  if (reason == Reason::infinity && std::isnan(report.truth)) reason = Reason::nan;
  evidence.kind = name(reason);
  evidence.output = subject.contract.signature().outputs[output].name;
  evidence.index = coordinates(index, tensors.shapes.outputs[output].shape);
  evidence.got = report.got;
  evidence.truth = report.truth;
  evidence.low = report.low;
  evidence.high = report.high;
  if (report.reason == Reason::value) evidence.excess = report.excess;
  evidence.bad_elements = bad_elements;
  return verdict;
}

Verdict judge_outputs(const Case& c, const Subject& subject, const Realised& tensors,
                      const std::vector<Tensor>& outputs, Reasons reasons, Tally& tally, bool weigh) {
  Allowances allow = subject.allow;
  allow.ties = true;  // which of several equal extremes wins is EXC-02's
  Judge judge(subject.contract, c.instance, tensors.inputs, allow);
  std::int64_t judged = 0, silent = 0;
  for (std::size_t output = 0; output < outputs.size(); ++output) {
    const OutputReport report = judge.all(output, outputs[output], reasons);
    tally.elements += report.judged;
    tally.by_mpfr += report.by_mpfr;
    tally.useless += report.useless;
    judged += report.judged;
    silent += report.useless + report.undecidable;
    if (report.first_refused >= 0)
      return refused(subject, tensors, output, report.first_refused, report.first, report.refused);
  }
  if (judged > 0 && silent >= judged)
    return undecidable("the budget of every element contains 0, or the oracle cannot tell");
  if (weigh && c.seed % kWeighEvery == 0) weigh_errors(subject, outputs, judge, tally);
  return Verdict::pass();
}

Verdict run_and_judge(const Case& c, const Subject& subject, Runner& runner, Reasons reasons, bool weigh) {
  const Realised tensors = realise(c, subject);
  const RunResult result = runner.run(launch_of(c, tensors), Build::fast);
  if (auto verdict = no_outputs(result, c, subject)) return *verdict;
  return judge_outputs(c, subject, tensors, result.outputs, reasons, runner.tally, weigh);
}

bool right_on(Fill fill, const Case& c, const Subject& subject, Runner& runner) {
  Case plain = c;
  plain.plants.clear();
  for (InputRecipe& recipe : plain.inputs) {
    recipe.fill = fill;
    recipe.scale = 0;
    recipe.order = Order::drawn;
  }
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    plain.seed = c.seed + seed;
    if (is_finding(run_and_judge(plain, subject, runner, kValueReasons).outcome)) return false;
  }
  return true;
}

std::vector<Weighted> ordinary_fills() {
  return {{Fill::normal, 6}, {Fill::uniform, 3}, {Fill::negative, 2}, {Fill::shifted, 2},
          {Fill::offset, 2}, {Fill::large, 2},   {Fill::wide, 1},     {Fill::small, 2}};
}

std::vector<std::int64_t> coordinates(std::int64_t index, const Dims& shape) {
  std::vector<std::int64_t> result(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    result[d] = index % shape[d];
    index /= shape[d];
  }
  return result;
}

}  // namespace assay
