#pragma once

// What every gate does with a case: realise it, launch the kernel on it, judge what came back.

#include <span>
#include <string>
#include <vector>

#include "gates/gate.h"

namespace assay {

// A case's tensors. Kept by value: a Launch only points to them.
struct Realised {
  Shapes shapes;
  std::vector<Tensor> inputs;
  std::vector<std::uint32_t> offsets;  // bytes, inputs and then outputs
};

std::int64_t elements(const Shapes& shapes);  // of all tensors together

Realised realise(const Case& c, const Subject& subject);  // requires that the case is in the domain
Launch launch_of(const Case& c, const Realised& tensors);

Verdict not_applicable(std::string reason);
Verdict unanswered(std::string reason);  // not applicable, though the contract asks: no call was made
bool is_unanswered(const Verdict& verdict);
Verdict undecidable(std::string reason);
Verdict infrastructure(std::string reason);  // undecidable, for a cause outside the kernel
bool is_infrastructure(const Verdict& verdict);
bool is_unbound(const Verdict& verdict);  // undecidable, as the user's binding does not fit the case

// The verdict of a call that brought no outputs: crashed, hung, refused or never made. A kernel may refuse a
// dtype that is not its primary one; any other refusal is a finding.
std::optional<Verdict> no_outputs(const RunResult& result, const Case& c, const Subject& subject);
std::optional<Verdict> no_outputs(const RunResult& result);  // at the primary dtype
std::optional<Verdict> no_outputs(const SparseResult& result);

// The first diagnostic of one of these kinds as a finding.
std::optional<Verdict> diagnosed(std::span<const Diagnostic> diagnostics,
                                 std::span<const std::string_view> kinds);

// The kinds of diagnostics that are RES-01's.
constexpr std::string_view kMemoryFaults[] = {"out of bounds", "misaligned", "use after free"};

// And those of a launch that did not happen.
constexpr std::string_view kLaunchFaults[] = {"launch error", "limit exceeded"};

// Judges every element of every output; the first that is refused for one of the reasons is the evidence. A
// case in which no element says anything is undecidable.
Verdict judge_outputs(const Case& c, const Subject& subject, const Realised& tensors,
                      const std::vector<Tensor>& outputs, Reasons reasons, Tally& tally, bool weigh = false);

// One call, judged.
Verdict run_and_judge(const Case& c, const Subject& subject, Runner& runner, Reasons reasons,
                      bool weigh = false);

// Evidence for one refused element.
Verdict refused(const Subject& subject, const Realised& tensors, std::size_t output, std::int64_t index,
                const ElementReport& report, std::int64_t bad_elements);

// Whether the kernel's values are right on the same shape with ordinary contents, of three seeds. Gates that
// look at a special kind of contents ask this before they blame that kind for a wrong value: else it is
// CMP-01's or CMP-03's finding.
bool right_on(Fill fill, const Case& c, const Subject& subject, Runner& runner);

// What "the value is right" means.
constexpr Reasons kValueReasons =
    Reasons::of({Reason::nan, Reason::infinity, Reason::value, Reason::exact, Reason::index});

// Fills on which every kernel is used every day.
std::vector<Weighted> ordinary_fills();

std::vector<std::int64_t> coordinates(std::int64_t index, const Dims& shape);

}  // namespace assay
