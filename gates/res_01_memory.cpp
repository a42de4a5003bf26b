// RES-01 memory: writes all of its outputs and only them, reads only its inputs, leaves inputs unchanged, at
// every legal alignment.
//
// Draws ordinary contents at all sizes and addresses. Runs with two poisons: an element that holds both was
// never written, whatever the right value is. Guard bands and the inputs' bytes are compared by the worker;
// in the second run inputs cannot be written and host code cannot touch a tensor; one run is under
// AddressSanitizer.

#include "gates/execute.h"

namespace assay {
namespace {

Draw draw(const Subject&) {
  Draw d;
  d.sizes = Sizes::any;
  d.dtypes = Dtypes::all;
  d.fills = {{Fill::normal, 1}};
  d.offsets = true;
  d.max_elements = 768;
  return d;
}

std::optional<std::string> applies(const Subject&) {
  return std::nullopt;
}

constexpr std::uint8_t kPoisons[] = {0xA5, 0x3F};  // in f32 a tiny number, and 0.75

std::optional<Verdict> memory_fault(const RunResult& result, const Case& c, const Subject& subject) {
  if (auto verdict = no_outputs(result, c, subject)) return verdict;
  if (auto verdict = diagnosed(result.diagnostics, kMemoryFaults)) return verdict;
  if (!result.overrun.empty()) {
    Verdict verdict{Outcome::violated, {}};
    verdict.evidence.kind = "overrun";
    verdict.evidence.detail = result.overrun;
    return verdict;
  }
  if (!result.changed_inputs.empty()) {
    Verdict verdict{Outcome::violated, {}};
    verdict.evidence.kind = "input changed";
    verdict.evidence.output = result.changed_inputs.front();
    verdict.evidence.detail = "the call wrote to an input";
    return verdict;
  }
  return std::nullopt;
}

bool holds(const Tensor& tensor, std::int64_t i, std::uint8_t poison) {
  const std::byte* element = tensor.data() + static_cast<std::size_t>(i) * size_of(tensor.dtype());
  for (std::size_t k = 0; k < size_of(tensor.dtype()); ++k)
    if (element[k] != std::byte{poison}) return false;
  return true;
}

std::optional<Verdict> unwritten(const Subject& subject, const Realised& tensors, const RunResult& first,
                                 const RunResult& second) {
  for (std::size_t output = 0; output < first.outputs.size(); ++output) {
    std::int64_t bad = 0, where = -1;
    for (std::int64_t i = 0; i < first.outputs[output].size(); ++i) {
      if (!holds(first.outputs[output], i, kPoisons[0]) || !holds(second.outputs[output], i, kPoisons[1]))
        continue;
      if (bad++ == 0) where = i;
    }
    if (bad == 0) continue;
    Verdict verdict{Outcome::violated, {}};
    verdict.evidence.kind = "unwritten";
    verdict.evidence.output = subject.contract.signature().outputs[output].name;
    verdict.evidence.index = coordinates(where, tensors.shapes.outputs[output].shape);
    verdict.evidence.bad_elements = bad;
    verdict.evidence.detail = "the element still holds what the buffer held before the call";
    return verdict;
  }
  return std::nullopt;
}

Verdict judge(const Case& c, const Subject& subject, Runner& runner) {
  const Realised tensors = realise(c, subject);
  RunResult fast[2];
  for (int i = 0; i < 2; ++i) {
    Launch launch = launch_of(c, tensors);
    launch.poison = kPoisons[i];
    launch.guarded = i == 1;
    fast[i] = runner.run(launch, Build::fast);
    if (auto verdict = memory_fault(fast[i], c, subject)) return *verdict;
  }
  if (auto verdict = unwritten(subject, tensors, fast[0], fast[1])) return *verdict;

  Launch launch = launch_of(c, tensors);
  launch.deadline *= 4;
  if (auto verdict = memory_fault(runner.run(launch, Build::checked), c, subject)) return *verdict;
  return Verdict::pass();
}

}  // namespace

extern const Gate res_01_memory;
const Gate res_01_memory = {
    .id = "RES-01",
    .title = "memory",
    .law =
        "writes all of its outputs and only them, reads only its inputs, leaves them unchanged, at every "
        "legal alignment",
    .tolerance_free = true,
    .weight = 2,
    .draw = draw,
    .not_applicable = applies,
    .judge = judge,
};

}  // namespace assay
