// ORD-02 determinism: the same bits on every run, whatever the schedule, the addresses, the contents of the
// buffers before, and what ran before.
//
// Draws ordinary contents at friendly sizes, with enough elements for several blocks. Runs one case under
// perturbations that a right kernel cannot see and compares bytes.

#include <fmt/format.h>

#include "gates/execute.h"

namespace assay {
namespace {

Draw draw(const Subject&) {
  Draw d;
  d.fills = {{Fill::normal, 4}, {Fill::large, 1}, {Fill::wide, 2}, {Fill::uniform, 1}};
  d.max_elements = 2048;
  d.long_rows = true;
  return d;
}

std::optional<std::string> applies(const Subject& subject) {
  if (subject.allow.nondeterminism) return "nondeterminism is allowed (--allow nondeterminism)";
  if (subject.contract.allows_nondeterminism()) return "the contract allows nondeterminism";
  return std::nullopt;
}

struct Perturbation {
  const char* what;
  std::uint32_t schedule;
  std::uint8_t poison;
  std::uint32_t offset;  // in units of the alignment, of every tensor
};

constexpr Perturbation kPerturbations[] = {
    {"a second run", 0, 0xA5, 0},
    {"threads in descending order (on a GPU: other work on half of it)", 1, 0xA5, 0},
    {"threads in another order (on a GPU: other work beside it)", 2, 0xA5, 0},
    {"threads in another order (on a GPU: few multiprocessors are free)", 3, 0xA5, 0},
    {"threads in another order (on a GPU: other work on half of it)", 4, 0xA5, 0},
    {"outputs that held 0x00 bytes", 0, 0x00, 0},
    {"outputs that held 0xFF bytes", 0, 0xFF, 0},
    {"outputs that held 0x3F bytes (in f32 0.75)", 0, 0x3F, 0},
    {"other addresses", 0, 0xA5, 1},
    {"other addresses", 0, 0xA5, 5},
};

std::optional<Verdict> difference(const Subject& subject, const Realised& tensors,
                                  const std::vector<Tensor>& first, const RunResult& second,
                                  std::string_view what) {
  if (auto verdict = no_outputs(second)) return verdict;
  for (std::size_t output = 0; output < first.size(); ++output) {
    const Tensor& a = first[output];
    const Tensor& b = second.outputs[output];
    if (a == b) continue;
    Verdict verdict{Outcome::violated, {}};
    Evidence& evidence = verdict.evidence;
    evidence.kind = "nondeterminism";
    evidence.output = subject.contract.signature().outputs[output].name;
    for (std::int64_t i = a.size(); i-- > 0;) {
      if (a.bits(i) == b.bits(i)) continue;
      ++evidence.bad_elements;
      evidence.index = coordinates(i, tensors.shapes.outputs[output].shape);
      evidence.got = b.value(i);
      evidence.truth = a.value(i);
    }
    evidence.detail = fmt::format("other bits after {}", what);
    return verdict;
  }
  return std::nullopt;
}

// Fresh processes are dear: one case in four pays for them, the same one on every run.
bool looks_at_history(const Case& c) {
  return c.seed % 4 == 0;
}

Verdict judge(const Case& c, const Subject& subject, Runner& runner) {
  const Realised tensors = realise(c, subject);
  if (looks_at_history(c)) runner.restart();
  const RunResult base = runner.run(launch_of(c, tensors), Build::fast);
  if (auto verdict = no_outputs(base)) return *verdict;

  const auto unit = static_cast<std::uint32_t>(subject.contract.alignment());
  for (const Perturbation& perturbation : kPerturbations) {
    Launch launch = launch_of(c, tensors);
    launch.schedule = perturbation.schedule;
    launch.poison = perturbation.poison;
    for (std::uint32_t& offset : launch.offsets) offset = (offset + perturbation.offset * unit) % 256;
    const RunResult run = runner.run(launch, Build::fast);
    if (auto verdict = difference(subject, tensors, base.outputs, run, perturbation.what)) return *verdict;
  }
  if (!looks_at_history(c)) return Verdict::pass();

  Case other = c;
  other.seed = ~c.seed;
  const Realised others = realise(other, subject);
  runner.restart();
  runner.run(launch_of(other, others), Build::fast);
  const RunResult after_other = runner.run(launch_of(c, tensors), Build::fast);
  if (auto verdict =
          difference(subject, tensors, base.outputs, after_other, "another input in a fresh process"))
    return *verdict;
  return Verdict::pass();
}

}  // namespace

extern const Gate ord_02_determinism;
const Gate ord_02_determinism = {
    .id = "ORD-02",
    .title = "determinism",
    .law =
        "the same bits on every run, whatever the schedule, the addresses, the buffers and what ran before",
    .tolerance_free = true,
    .weight = 1,
    .draw = draw,
    .not_applicable = applies,
    .judge = judge,
};

}  // namespace assay
