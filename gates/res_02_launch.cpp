// RES-02 resources and launch: no launch error, limits kept, work on the given stream, no barrier in
// divergent code, no race, no read of memory that nobody wrote, no leak, bounded time.
//
// Draws ordinary contents at friendly sizes and long rows, where "one thread a column" exceeds the limits of
// a block. Decides by what the runtime diagnosed in all builds and under several schedules, whether or not
// the kernel looked at the error.

#include "gates/execute.h"

namespace assay {
namespace {

Draw draw(const Subject&) {
  Draw d;
  d.fills = {{Fill::normal, 1}};
  d.max_elements = 768;
  d.long_rows = true;
  return d;
}

std::optional<std::string> applies(const Subject&) {
  return std::nullopt;
}

constexpr std::string_view kResourceFaults[] = {
    "launch error", "limit exceeded", "barrier in divergent code", "deadlock", "invalid warp mask",
    "wrong stream", "leak",           "undefined behaviour",       "race",     "uninitialised read"};

constexpr std::string_view kAccessFaults[] = {"race", "uninitialised read"};

std::optional<Verdict> resource_fault(const RunResult& result, const Case& c, const Subject& subject) {
  if (auto verdict = no_outputs(result, c, subject)) return verdict;
  return diagnosed(result.diagnostics, kResourceFaults);
}

// What Build::race says of one schedule. How the call ended was judged in the other builds, and this one is
// slow.
Verdict accesses(const Case& c, const Realised& tensors, Runner& runner) {
  Launch launch = launch_of(c, tensors);
  launch.schedule = static_cast<std::uint32_t>(c.seed % 4);
  launch.deadline *= 4;
  const RunResult result = runner.run(launch, Build::race);
  if (result.status == RunResult::Status::infrastructure) return infrastructure(result.detail);
  if (result.status == RunResult::Status::crashed && result.diagnostics.empty())
    return undecidable("the kernel ended in no other build than the one that looks for races: " +
                       result.detail);
  return diagnosed(result.diagnostics, kAccessFaults).value_or(Verdict::pass());
}

Verdict judge(const Case& c, const Subject& subject, Runner& runner) {
  const Realised tensors = realise(c, subject);
  // Several calls: a leak shows as growth.
  for (std::uint32_t schedule : {0u, 1u, 3u, 0u}) {
    Launch launch = launch_of(c, tensors);
    launch.schedule = schedule;
    if (auto verdict = resource_fault(runner.run(launch, Build::fast), c, subject)) return *verdict;
  }
  Launch launch = launch_of(c, tensors);
  launch.deadline *= 4;
  const RunResult checked = runner.run(launch, Build::checked);
  // What AddressSanitizer stops is RES-01's, which looks at the same build.
  if (checked.status == RunResult::Status::crashed && diagnosed(checked.diagnostics, kMemoryFaults))
    return Verdict::pass();
  if (auto verdict = resource_fault(checked, c, subject)) return *verdict;
  return accesses(c, tensors, runner);
}

}  // namespace

extern const Gate res_02_launch;
const Gate res_02_launch = {
    .id = "RES-02",
    .title = "resources and launch",
    .law =
        "no launch error, limits kept, work on the given stream, no barrier in divergent code, no race, "
        "bounded time",
    .tolerance_free = true,
    .weight = 1,
    .draw = draw,
    .not_applicable = applies,
    .judge = judge,
};

}  // namespace assay
